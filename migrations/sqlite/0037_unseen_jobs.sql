-- What the resource manager had been told of a reservation when jobs may have run in it unseen; null once its accounting
-- was asked for these.
ALTER TABLE managed_reservations ADD COLUMN jobs_unseen TEXT;

CREATE INDEX managed_reservations_unseen ON managed_reservations (reservation_id)
    WHERE jobs_unseen IS NOT NULL;
