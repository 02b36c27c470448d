-- Who did or read what: each record with the hash of itself and the one before it (docs/AUDIT.md). Ids follow one another
-- without a gap. at_us: microseconds since 1970, UTC. state_before, state_after: JSON, or null. Names and addresses of people
-- who were erased stand as "erased:" and a digest.
CREATE TABLE audit (
    id           INTEGER NOT NULL PRIMARY KEY,
    at_us        INTEGER NOT NULL,
    actor        TEXT    NOT NULL,
    issuer       TEXT    NOT NULL,
    acting_for   TEXT    NOT NULL,
    source       TEXT    NOT NULL,
    action       TEXT    NOT NULL,
    object       TEXT    NOT NULL,
    state_before TEXT,
    state_after  TEXT,
    outcome      TEXT    NOT NULL,
    hash         TEXT    NOT NULL,
    previous     TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_by_time ON audit (at_us);
CREATE INDEX audit_by_actor ON audit (actor, id);
CREATE INDEX audit_by_object ON audit (object, id);

-- The chain's ends. head: the newest record; writers take this row first. dropped: the newest record that was dropped by
-- age, whose hash is the previous one of the first that is kept.
CREATE TABLE audit_chain (
    id           INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    head_id      INTEGER NOT NULL,
    head_hash    TEXT    NOT NULL,
    dropped_id   INTEGER NOT NULL,
    dropped_hash TEXT    NOT NULL
) STRICT;

INSERT INTO audit_chain (id, head_id, head_hash, dropped_id, dropped_hash) VALUES (1, 0,
    '0000000000000000000000000000000000000000000000000000000000000000', 0,
    '0000000000000000000000000000000000000000000000000000000000000000');

-- What was begun and is not recorded yet: rows that a process leaves when it is killed become records.
CREATE TABLE audit_begun (
    id         TEXT    NOT NULL PRIMARY KEY,
    at_us      INTEGER NOT NULL,
    actor      TEXT    NOT NULL,
    issuer     TEXT    NOT NULL,
    acting_for TEXT    NOT NULL,
    source     TEXT    NOT NULL,
    action     TEXT    NOT NULL,
    object     TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_begun_by_time ON audit_begun (at_us);

CREATE TRIGGER audit_refuse_update BEFORE UPDATE ON audit
WHEN NOT (NEW.id = OLD.id AND NEW.at_us = OLD.at_us AND NEW.issuer = OLD.issuer AND NEW.action = OLD.action
    AND NEW.state_before IS OLD.state_before AND NEW.state_after IS OLD.state_after AND NEW.outcome = OLD.outcome
    AND NEW.hash = OLD.hash AND NEW.previous = OLD.previous
    AND (NEW.actor = OLD.actor OR NEW.actor LIKE 'erased:%')
    AND (NEW.acting_for = OLD.acting_for OR NEW.acting_for LIKE 'erased:%')
    AND (NEW.source = OLD.source OR NEW.source LIKE 'erased:%')
    AND (NEW.object = OLD.object OR NEW.object LIKE 'erased:%'))
BEGIN
    SELECT RAISE(ABORT, 'audit records are never changed, except that people are erased');
END;

CREATE TRIGGER audit_refuse_delete BEFORE DELETE ON audit
WHEN OLD.id > (SELECT dropped_id FROM audit_chain)
BEGIN
    SELECT RAISE(ABORT, 'audit records are never deleted before they are dropped by age');
END;

-- Names of people who were erased are replaced where nothing else is ever changed: what is counted stays.
DROP TRIGGER ledger_rows_refuse_update;

CREATE TRIGGER ledger_rows_refuse_update BEFORE UPDATE OF id, hour_s, number, counted_s, holder, reservation_id, job_id,
    project, application, partition_name, nodes, node_s, missing_s, measured_j, estimated_j, cost_millionths, unpriced_j,
    currency, co2_location_mg, unrated_j, co2_market_mg, quarter1_j, quarter2_j, quarter3_j, quarter4_j, job_raw_id,
    job_submitted_s ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'rows of the ledger are never changed');
END;

CREATE TRIGGER ledger_rows_refuse_renaming BEFORE UPDATE OF user_name, owner ON ledger_rows
WHEN NOT ((NEW.user_name = OLD.user_name OR NEW.user_name LIKE 'erased-%')
    AND (NEW.owner = OLD.owner OR NEW.owner LIKE 'erased-%'))
BEGIN
    SELECT RAISE(ABORT, 'rows of the ledger are never changed, except that people are erased');
END;

DROP TRIGGER power_log_refuse_update;

CREATE TRIGGER power_log_refuse_update BEFORE UPDATE OF id, at_s, node, action_id, what, because ON power_log
BEGIN
    SELECT RAISE(ABORT, 'rows of the power log are never changed');
END;

CREATE TRIGGER power_log_refuse_renaming BEFORE UPDATE OF by_name ON power_log
WHEN NEW.by_name IS NOT OLD.by_name AND (NEW.by_name IS NULL OR NEW.by_name NOT LIKE 'erased-%')
BEGIN
    SELECT RAISE(ABORT, 'rows of the power log are never changed, except that people are erased');
END;
