-- The ledger: what was stated of each hour. Number 0 is the hour's first statement, others correct it.
-- counted_s: the hour in which the rows of a statement count; another one than the hour itself where its
-- month was closed. Statements and rows are added and never changed.
CREATE TABLE ledger_statements (
    hour_s    INTEGER NOT NULL CHECK (hour_s % 3600 = 0),
    number    INTEGER NOT NULL CHECK (number >= 0),
    counted_s INTEGER NOT NULL CHECK (counted_s % 3600 = 0),
    stated_s  INTEGER NOT NULL,
    PRIMARY KEY (hour_s, number),
    CHECK (counted_s >= hour_s),
    CHECK (number > 0 OR counted_s = hour_s)
) STRICT, WITHOUT ROWID;

-- A row for each party of an hour; of corrections the difference. _j: whole joules, _mg: whole
-- milligrams. cost_millionths and co2_*_mg: null where nothing is known. unpriced_j, unrated_j: the energy for
-- which no price, no CO2 intensity is known.
CREATE TABLE ledger_rows (
    id              INTEGER NOT NULL PRIMARY KEY,
    hour_s          INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    counted_s       INTEGER NOT NULL,
    holder          TEXT    NOT NULL CHECK (holder IN (
        'reservation', 'job', 'idle', 'off', 'switching', 'facility', 'unallocated')),
    reservation_id  BLOB,
    job_id          TEXT    NOT NULL,
    user_name       TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    project         TEXT    NOT NULL,
    application     TEXT    NOT NULL,
    partition_name  TEXT    NOT NULL,
    nodes           INTEGER NOT NULL,
    node_s          INTEGER NOT NULL,
    missing_s       INTEGER NOT NULL,
    measured_j      INTEGER NOT NULL,
    estimated_j     INTEGER NOT NULL,
    cost_millionths INTEGER,
    unpriced_j      INTEGER NOT NULL,
    currency        TEXT    NOT NULL,
    co2_location_mg INTEGER,
    unrated_j       INTEGER NOT NULL,
    co2_market_mg   INTEGER,
    FOREIGN KEY (hour_s, number) REFERENCES ledger_statements (hour_s, number)
) STRICT;

CREATE INDEX ledger_rows_by_counted ON ledger_rows (counted_s, id);
CREATE INDEX ledger_rows_by_hour ON ledger_rows (hour_s, id);

CREATE TRIGGER ledger_rows_refuse_update BEFORE UPDATE ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'rows of the ledger are never changed');
END;

CREATE TRIGGER ledger_rows_refuse_delete BEFORE DELETE ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'rows of the ledger are never deleted');
END;

-- Up to which revision of agendas stated hours were looked at again.
CREATE TABLE ledger_marks (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    revision_id INTEGER NOT NULL
) STRICT;

INSERT INTO ledger_marks (id, revision_id) VALUES (1, 0);
