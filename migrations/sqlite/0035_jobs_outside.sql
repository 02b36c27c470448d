-- Jobs that run outside of our reservations are kept, too, without a reservation_id.
CREATE TABLE all_managed_jobs (
    id             TEXT    NOT NULL,
    submitted_s    INTEGER NOT NULL,
    reservation_id BLOB             REFERENCES reservations (id),
    user_name      TEXT    NOT NULL,
    account        TEXT    NOT NULL,
    partition_name TEXT    NOT NULL,
    job_name       TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    phase          TEXT    NOT NULL CHECK (phase IN ('waiting', 'running', 'ended')),
    start_s        INTEGER,
    end_s          INTEGER,
    limit_s        INTEGER,
    nodes          TEXT    NOT NULL,
    ran_in         TEXT,
    energy_uj      TEXT,
    PRIMARY KEY (id, submitted_s)
) STRICT, WITHOUT ROWID;

INSERT INTO all_managed_jobs (id, submitted_s, reservation_id, user_name, account, partition_name,
        job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj)
    SELECT id, submitted_s, reservation_id, user_name, account, partition_name,
        job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj
    FROM managed_jobs;

DROP TABLE managed_jobs;
ALTER TABLE all_managed_jobs RENAME TO managed_jobs;

CREATE INDEX managed_jobs_by_reservation ON managed_jobs (reservation_id, submitted_s, id)
    WHERE reservation_id IS NOT NULL;
CREATE INDEX managed_jobs_unaccounted ON managed_jobs (end_s)
    WHERE phase = 'ended' AND energy_uj IS NULL AND reservation_id IS NOT NULL;
CREATE INDEX managed_jobs_by_end ON managed_jobs (phase, end_s);

-- When the jobs that run outside of our reservations were seen last, to a minute.
CREATE TABLE managed_jobs_seen (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    seen_s INTEGER NOT NULL
) STRICT;
