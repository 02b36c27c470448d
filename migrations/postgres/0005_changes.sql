-- changes counts every transaction that writes; the other columns hold the count at which their part
-- last changed. Who keeps the book in memory asks for these, and reads what is newer than what it has.
ALTER TABLE book ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE book ADD COLUMN agendas_changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE book ADD COLUMN outages_changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE book ADD COLUMN tokens_changed BIGINT NOT NULL DEFAULT 0;

-- The count at which what a reservation holds last changed.
ALTER TABLE reservations ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX reservations_by_change ON reservations (changed);
