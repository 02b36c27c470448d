-- What the quarter-hours of each node say against the calibration in force, as they were judged last, and the
-- calibration that is proposed. Powers are null where too little is known, or nothing can be believed. error_*: of the
-- calibration in force against quarter-hours in which the node was held, millionths.
CREATE TABLE node_findings (
    node_name           TEXT    NOT NULL PRIMARY KEY,
    idle_power_uw       INTEGER,
    idle_spread_uw      INTEGER,
    idle_quarters       INTEGER,
    max_power_uw        INTEGER,
    max_spread_uw       INTEGER,
    max_quarters        INTEGER,
    drifted             INTEGER NOT NULL CHECK (drifted IN (0, 1)),
    outlying            INTEGER NOT NULL CHECK (outlying IN (0, 1)),
    fault               TEXT CHECK (fault IN ('unmeasured', 'draws_nothing', 'implausible', 'stuck')),
    error_quarters      INTEGER NOT NULL,
    error_mean          INTEGER,
    error_mean_absolute INTEGER,
    proposal            TEXT CHECK (proposal IN ('open', 'rejected')),
    proposed_s          INTEGER,
    proposed_idle_uw    INTEGER,
    proposed_max_uw     INTEGER
) STRICT;

-- What runs drew, of reservations that have ended. utilisation, alpha: millionths; null where the nodes have none.
CREATE TABLE measured_runs (
    reservation_id BLOB    NOT NULL PRIMARY KEY,
    owner          TEXT    NOT NULL,
    application    TEXT    NOT NULL,
    start_s        INTEGER NOT NULL,
    end_s          INTEGER NOT NULL,
    quarters       INTEGER NOT NULL,
    utilisation    INTEGER,
    alpha          INTEGER
) STRICT;

CREATE INDEX measured_runs_by_application ON measured_runs (application, end_s);

-- Which nodes the resource manager had other people's jobs on in a quarter-hour, by ordinals of an epoch; looks: how
-- often it was looked. Of what is not looked at nobody knows whether nodes were idle.
CREATE TABLE occupied_quarters (
    quarter  INTEGER NOT NULL PRIMARY KEY,
    epoch    INTEGER NOT NULL,
    looks    INTEGER NOT NULL,
    ordinals TEXT    NOT NULL
) STRICT;

-- Who writes findings, or decides on a proposal, changes this row first; findings are written only if nobody did since
-- they were read.
CREATE TABLE recalibrations (
    id           INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    version      INTEGER NOT NULL,
    judged_s     INTEGER,
    from_s       INTEGER,
    to_s         INTEGER
) STRICT;

INSERT INTO recalibrations (id, version) VALUES (1, 0);

-- What a calibration rests on: samples that were sent for it, or what meters measured all the time.
ALTER TABLE calibrations ADD COLUMN source TEXT NOT NULL DEFAULT 'samples' CHECK (source IN ('samples', 'meters'));
