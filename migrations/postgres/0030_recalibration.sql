-- What the quarter-hours of each node say against the calibration in force, as they were judged last, and the
-- calibration that is proposed. Powers are null where too little is known, or nothing can be believed. error_*: of the
-- calibration in force against quarter-hours in which the node was held, millionths.
CREATE TABLE node_findings (
    node_name           TEXT    NOT NULL PRIMARY KEY,
    idle_power_uw       BIGINT,
    idle_spread_uw      BIGINT,
    idle_quarters       BIGINT,
    max_power_uw        BIGINT,
    max_spread_uw       BIGINT,
    max_quarters        BIGINT,
    drifted             BOOLEAN NOT NULL,
    outlying            BOOLEAN NOT NULL,
    fault               TEXT CHECK (fault IN ('unmeasured', 'draws_nothing', 'implausible', 'stuck')),
    error_quarters      BIGINT NOT NULL,
    error_mean          BIGINT,
    error_mean_absolute BIGINT,
    proposal            TEXT CHECK (proposal IN ('open', 'rejected')),
    proposed_s          BIGINT,
    proposed_idle_uw    BIGINT,
    proposed_max_uw     BIGINT
);

-- What runs drew, of reservations that have ended. utilisation, alpha: millionths; null where the nodes have none.
CREATE TABLE measured_runs (
    reservation_id UUID    NOT NULL PRIMARY KEY,
    owner          TEXT    NOT NULL,
    application    TEXT    NOT NULL,
    start_s        BIGINT NOT NULL,
    end_s          BIGINT NOT NULL,
    quarters       BIGINT NOT NULL,
    utilisation    BIGINT,
    alpha          BIGINT
);

CREATE INDEX measured_runs_by_application ON measured_runs (application, end_s);

-- Which nodes the resource manager had other people's jobs on in a quarter-hour, by ordinals of an epoch; looks: how
-- often it was looked. Of what is not looked at nobody knows whether nodes were idle.
CREATE TABLE occupied_quarters (
    quarter  BIGINT NOT NULL PRIMARY KEY,
    epoch    BIGINT NOT NULL,
    looks    BIGINT NOT NULL,
    ordinals TEXT    NOT NULL
);

-- Who writes findings, or decides on a proposal, changes this row first; findings are written only if nobody did since
-- they were read.
CREATE TABLE recalibrations (
    id           BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    version      BIGINT NOT NULL,
    judged_s     BIGINT,
    from_s       BIGINT,
    to_s         BIGINT
);

INSERT INTO recalibrations (id, version) VALUES (1, 0);

-- What a calibration rests on: samples that were sent for it, or what meters measured all the time.
ALTER TABLE calibrations ADD COLUMN source TEXT NOT NULL DEFAULT 'samples' CHECK (source IN ('samples', 'meters'));
