-- Jobs that run outside of our reservations are kept, too, without a reservation_id.
ALTER TABLE managed_jobs ALTER COLUMN reservation_id DROP NOT NULL;

DROP INDEX managed_jobs_by_reservation;
DROP INDEX managed_jobs_unaccounted;

CREATE INDEX managed_jobs_by_reservation ON managed_jobs (reservation_id, submitted_s, id)
    WHERE reservation_id IS NOT NULL;
CREATE INDEX managed_jobs_unaccounted ON managed_jobs (end_s)
    WHERE phase = 'ended' AND energy_uj IS NULL AND reservation_id IS NOT NULL;
CREATE INDEX managed_jobs_by_end ON managed_jobs (phase, end_s);

-- When the jobs that run outside of our reservations were seen last, to a minute.
CREATE TABLE managed_jobs_seen (
    id     BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    seen_s BIGINT NOT NULL
);
