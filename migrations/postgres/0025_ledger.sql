-- The ledger: what was stated of each hour. Number 0 is the hour's first statement, others correct it.
-- counted_s: the hour in which the rows of a statement count; another one than the hour itself where its
-- month was closed. Statements and rows are added and never changed.
CREATE TABLE ledger_statements (
    hour_s    BIGINT  NOT NULL CHECK (hour_s % 3600 = 0),
    number    BIGINT  NOT NULL CHECK (number >= 0),
    counted_s BIGINT  NOT NULL CHECK (counted_s % 3600 = 0),
    stated_s  BIGINT  NOT NULL,
    PRIMARY KEY (hour_s, number),
    CHECK (counted_s >= hour_s),
    CHECK (number > 0 OR counted_s = hour_s)
);

-- A row for each party of an hour; of corrections the difference. _j: whole joules, _mg: whole
-- milligrams. cost_millionths and co2_*_mg: null where nothing is known. unpriced_j, unrated_j: the energy for
-- which no price, no CO2 intensity is known.
CREATE TABLE ledger_rows (
    id              BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hour_s          BIGINT  NOT NULL,
    number          BIGINT  NOT NULL,
    counted_s       BIGINT  NOT NULL,
    holder          TEXT    NOT NULL CHECK (holder IN (
        'reservation', 'job', 'idle', 'off', 'switching', 'facility', 'unallocated')),
    reservation_id  UUID,
    job_id          TEXT    NOT NULL,
    user_name       TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    project         TEXT    NOT NULL,
    application     TEXT    NOT NULL,
    partition_name  TEXT    NOT NULL,
    nodes           BIGINT  NOT NULL,
    node_s          BIGINT  NOT NULL,
    missing_s       BIGINT  NOT NULL,
    measured_j      BIGINT  NOT NULL,
    estimated_j     BIGINT  NOT NULL,
    cost_millionths BIGINT,
    unpriced_j      BIGINT  NOT NULL,
    currency        TEXT    NOT NULL,
    co2_location_mg BIGINT,
    unrated_j       BIGINT  NOT NULL,
    co2_market_mg   BIGINT,
    FOREIGN KEY (hour_s, number) REFERENCES ledger_statements (hour_s, number)
);

CREATE INDEX ledger_rows_by_counted ON ledger_rows (counted_s, id);
CREATE INDEX ledger_rows_by_hour ON ledger_rows (hour_s, id);

CREATE FUNCTION refuse_changes_of_the_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of the ledger are never changed or deleted';
END
$$;

CREATE TRIGGER ledger_rows_refuse_changes BEFORE UPDATE OR DELETE ON ledger_rows
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes_of_the_ledger();

-- Up to which revision of agendas stated hours were looked at again.
CREATE TABLE ledger_marks (
    id          BIGINT  NOT NULL PRIMARY KEY CHECK (id = 1),
    revision_id BIGINT  NOT NULL
);

INSERT INTO ledger_marks (id, revision_id) VALUES (1, 0);
