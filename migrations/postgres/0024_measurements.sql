-- What meters measured. A series is what a meter says of one node, rack or site; what its numbers are is a part of
-- it, so that a meter that is described anew begins new ones. Rows of blocks are read with their series, and refer to
-- it without a constraint.
CREATE TABLE metered_series (
    id    BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    meter TEXT    NOT NULL,
    value_kind TEXT NOT NULL CHECK (value_kind IN ('gauge', 'counter', 'difference')),
    node  TEXT    NOT NULL,
    UNIQUE (meter, value_kind, node)
);

-- The newest sample of each series. value_milli: milliwatts of a gauge, else millijoules.
CREATE TABLE newest_samples (
    series_id   BIGINT NOT NULL PRIMARY KEY REFERENCES metered_series (id),
    at_ms       BIGINT NOT NULL,
    value_milli BIGINT NOT NULL
);

-- Samples of a series, four hours from start_s on, as planner::metering::packed has them.
CREATE TABLE sample_blocks (
    start_s   BIGINT NOT NULL,
    series_id BIGINT NOT NULL,
    samples   BYTEA  NOT NULL,
    PRIMARY KEY (start_s, series_id)
);

-- Quarter-hours of a series, a day from start_s on, as planner::metering::packed has them.
CREATE TABLE quarter_blocks (
    start_s   BIGINT NOT NULL,
    series_id BIGINT NOT NULL,
    quarters  BYTEA  NOT NULL,
    PRIMARY KEY (start_s, series_id)
);

-- Whoever writes measurements changes this row first, so that writers go one after another. samples_from_s: samples
-- before it are not kept any more.
CREATE TABLE measurement_writes (
    only_row       BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
    writes         BIGINT NOT NULL,
    samples_from_s BIGINT NOT NULL
);

INSERT INTO measurement_writes (only_row, writes, samples_from_s) VALUES (1, 0, 0);
