-- The one row that serialises what can make a plan made earlier wrong.
CREATE TABLE book (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;

INSERT INTO book (id, version) VALUES (1, 0);

-- Every change of the nodes opens an epoch; AUTOINCREMENT so that no id is ever used twice.
CREATE TABLE calibration_epochs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    created_s  INTEGER NOT NULL,
    node_count INTEGER NOT NULL
) STRICT;

-- ordinal: position in the input. rank: position in the draw order, which allocations count in.
CREATE TABLE nodes (
    epoch         INTEGER NOT NULL REFERENCES calibration_epochs (id),
    ordinal       INTEGER NOT NULL,
    rank          INTEGER NOT NULL,
    name          TEXT    NOT NULL,
    idle_power_uw INTEGER NOT NULL,
    max_power_uw  INTEGER NOT NULL,
    alpha         REAL,
    PRIMARY KEY (epoch, ordinal)
) STRICT, WITHOUT ROWID;

-- What measuring found, by node name, and the epoch it led to.
CREATE TABLE calibrations (
    epoch          INTEGER NOT NULL REFERENCES calibration_epochs (id),
    node_name      TEXT    NOT NULL,
    measured_s     INTEGER NOT NULL,
    idle_power_uw  INTEGER NOT NULL,
    max_power_uw   INTEGER NOT NULL,
    idle_spread_uw INTEGER NOT NULL,
    max_spread_uw  INTEGER NOT NULL,
    idle_samples   INTEGER NOT NULL,
    max_samples    INTEGER NOT NULL,
    outliers       INTEGER NOT NULL,
    PRIMARY KEY (epoch, node_name)
) STRICT, WITHOUT ROWID;

CREATE INDEX calibrations_by_node ON calibrations (node_name, epoch);
