-- Experiments that are played in the background, their journal and their results.
-- experiment: what was asked for, as it is shown. inputs: the tables and what was taken from the
-- site. worker: who plays it, until lease_until_s unless renewed. attempts: claims since a run was
-- last finished. version grows with what watchers are told.
CREATE TABLE simulations (
    id            BLOB    NOT NULL PRIMARY KEY,
    owner         TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    experiment    TEXT    NOT NULL,
    inputs        TEXT    NOT NULL,
    notes         TEXT    NOT NULL,
    cells         INTEGER NOT NULL,
    runs          INTEGER NOT NULL,
    runs_done     INTEGER NOT NULL DEFAULT 0,
    time_left_s   INTEGER,
    created_s     INTEGER NOT NULL,
    started_s     INTEGER,
    ended_s       INTEGER,
    error         TEXT,
    worker        BLOB,
    lease_until_s INTEGER,
    attempts      INTEGER NOT NULL DEFAULT 0,
    version       INTEGER NOT NULL DEFAULT 1,
    CHECK ((state = 'running') = (worker IS NOT NULL)),
    CHECK ((worker IS NULL) = (lease_until_s IS NULL))
) STRICT;

CREATE INDEX simulations_to_play ON simulations (id) WHERE state IN ('queued', 'running');

-- The journal: finished runs of a simulation that has not ended. cell: from 1. run: from 0.
CREATE TABLE simulation_runs (
    simulation_id BLOB    NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    cell          INTEGER NOT NULL,
    run           INTEGER NOT NULL,
    played        TEXT    NOT NULL,
    PRIMARY KEY (simulation_id, cell, run)
) STRICT;

-- Files of finished cells; cell 0 is the whole grid.
CREATE TABLE simulation_results (
    simulation_id BLOB    NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    cell          INTEGER NOT NULL,
    name          TEXT    NOT NULL,
    content       BLOB    NOT NULL,
    PRIMARY KEY (simulation_id, cell, name)
) STRICT;
