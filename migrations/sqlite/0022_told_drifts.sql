-- What somebody else did to a managed reservation in the resource manager, in words, once that was told
-- and until it is undone.
ALTER TABLE managed_reservations ADD COLUMN drift TEXT;
