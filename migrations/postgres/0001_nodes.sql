-- The one row that serialises what can make a plan made earlier wrong.
CREATE TABLE book (
    id      BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL
);

INSERT INTO book (id, version) VALUES (1, 0);

-- Every change of the nodes opens an epoch.
CREATE TABLE calibration_epochs (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_s  BIGINT NOT NULL,
    node_count BIGINT NOT NULL
);

-- ordinal: position in the input. rank: position in the draw order, which allocations count in.
CREATE TABLE nodes (
    epoch         BIGINT NOT NULL REFERENCES calibration_epochs (id),
    ordinal       BIGINT NOT NULL,
    rank          BIGINT NOT NULL,
    name          TEXT   NOT NULL,
    idle_power_uw BIGINT NOT NULL,
    max_power_uw  BIGINT NOT NULL,
    alpha         DOUBLE PRECISION,
    PRIMARY KEY (epoch, ordinal)
);

-- What measuring found, by node name, and the epoch it led to.
CREATE TABLE calibrations (
    epoch          BIGINT NOT NULL REFERENCES calibration_epochs (id),
    node_name      TEXT   NOT NULL,
    measured_s     BIGINT NOT NULL,
    idle_power_uw  BIGINT NOT NULL,
    max_power_uw   BIGINT NOT NULL,
    idle_spread_uw BIGINT NOT NULL,
    max_spread_uw  BIGINT NOT NULL,
    idle_samples   BIGINT NOT NULL,
    max_samples    BIGINT NOT NULL,
    outliers       BIGINT NOT NULL,
    PRIMARY KEY (epoch, node_name)
);

CREATE INDEX calibrations_by_node ON calibrations (node_name, epoch);
