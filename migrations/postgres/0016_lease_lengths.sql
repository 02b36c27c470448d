-- For how long after a beat whoever has a lease takes it for their own. Others wait as long, whatever
-- their own settings say. What earlier releases took is of 20 s unless their settings said otherwise.
ALTER TABLE leases ADD COLUMN lasts_ms BIGINT NOT NULL DEFAULT 20000;
