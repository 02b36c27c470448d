-- What the resource manager tells of nodes is kept beside what operators say of them. kind: nodes that
-- run other people's jobs are occupied, and not out of service. managed_key: what the resource manager
-- withholds the nodes for; null for what operators said.
ALTER TABLE outages ADD COLUMN kind TEXT NOT NULL DEFAULT 'out_of_service'
    CHECK (kind IN ('out_of_service', 'occupied'));
ALTER TABLE outages ADD COLUMN managed_key TEXT;

-- How each reservation stands in the resource manager. name: what it is called there. because: why it
-- stands so, in words. pushed: JSON, what the resource manager was last told of it, and at which
-- row_version of the reservation. idle_since_s: since when no job of it waits or runs.
CREATE TABLE managed_reservations (
    reservation_id     BLOB    NOT NULL PRIMARY KEY REFERENCES reservations (id),
    name               TEXT    NOT NULL UNIQUE,
    state              TEXT    NOT NULL CHECK (state IN (
        'waiting', 'in_force', 'failed', 'lost', 'removed')),
    because            TEXT,
    pushed             TEXT,
    pushed_row_version INTEGER,
    changed_s          INTEGER NOT NULL,
    attempts           INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_s     INTEGER,
    idle_since_s       INTEGER,
    used_node_seconds  INTEGER NOT NULL DEFAULT 0 CHECK (used_node_seconds >= 0),
    CHECK ((pushed IS NULL) = (pushed_row_version IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX managed_reservations_open ON managed_reservations (reservation_id)
    WHERE state <> 'removed';

-- Jobs that ran in managed reservations. The resource manager uses ids again in time, but not for jobs
-- that were submitted at one instant. nodes: names, tabs between. energy_uj: whole microjoules, as
-- decimal text. phase: what state, a word of the resource manager, means.
CREATE TABLE managed_jobs (
    id             TEXT    NOT NULL,
    submitted_s    INTEGER NOT NULL,
    reservation_id BLOB    NOT NULL REFERENCES reservations (id),
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

CREATE INDEX managed_jobs_by_reservation ON managed_jobs (reservation_id, submitted_s, id);

-- What is done to nodes so that they are on when a reservation begins.
CREATE TABLE power_actions (
    id             INTEGER NOT NULL PRIMARY KEY,
    node           TEXT    NOT NULL,
    action         TEXT    NOT NULL CHECK (action IN ('power_up')),
    reservation_id BLOB    NOT NULL REFERENCES reservations (id),
    state          TEXT    NOT NULL CHECK (state IN ('waiting', 'ordered', 'done', 'failed')),
    because        TEXT,
    created_s      INTEGER NOT NULL,
    ordered_s      INTEGER,
    done_s         INTEGER,
    UNIQUE (reservation_id, node, action)
) STRICT;

CREATE INDEX power_actions_open ON power_actions (id) WHERE state IN ('waiting', 'ordered');
CREATE INDEX power_actions_done ON power_actions (node, done_s) WHERE state = 'done';
