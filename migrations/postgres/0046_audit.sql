-- Who did or read what: each record with the hash of itself and the one before it (docs/AUDIT.md). Ids follow one another
-- without a gap. at_us: microseconds since 1970, UTC. state_before, state_after: JSON, or null. Names and addresses of people
-- who were erased stand as "erased:" and a digest.
CREATE TABLE audit (
    id           BIGINT NOT NULL PRIMARY KEY,
    at_us        BIGINT NOT NULL,
    actor        TEXT   NOT NULL,
    issuer       TEXT   NOT NULL,
    acting_for   TEXT   NOT NULL,
    source       TEXT   NOT NULL,
    action       TEXT   NOT NULL,
    object       TEXT   NOT NULL,
    state_before TEXT,
    state_after  TEXT,
    outcome      TEXT   NOT NULL,
    hash         TEXT   NOT NULL,
    previous     TEXT   NOT NULL
);

CREATE INDEX audit_by_time ON audit (at_us);
CREATE INDEX audit_by_actor ON audit (actor, id);
CREATE INDEX audit_by_object ON audit (object, id);

-- The chain's ends. head: the newest record; writers take this row first. dropped: the newest record that was dropped by
-- age, whose hash is the previous one of the first that is kept.
CREATE TABLE audit_chain (
    id           BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    head_id      BIGINT NOT NULL,
    head_hash    TEXT   NOT NULL,
    dropped_id   BIGINT NOT NULL,
    dropped_hash TEXT   NOT NULL
);

INSERT INTO audit_chain (id, head_id, head_hash, dropped_id, dropped_hash)
    VALUES (1, 0, repeat('0', 64), 0, repeat('0', 64));

-- What was begun and is not recorded yet: rows that a process leaves when it is killed become records.
CREATE TABLE audit_begun (
    id         TEXT   NOT NULL PRIMARY KEY,
    at_us      BIGINT NOT NULL,
    actor      TEXT   NOT NULL,
    issuer     TEXT   NOT NULL,
    acting_for TEXT   NOT NULL,
    source     TEXT   NOT NULL,
    action     TEXT   NOT NULL,
    object     TEXT   NOT NULL
);

CREATE INDEX audit_begun_by_time ON audit_begun (at_us);

CREATE FUNCTION refuse_changes_of_audit_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.id = OLD.id AND NEW.at_us = OLD.at_us AND NEW.issuer = OLD.issuer AND NEW.action = OLD.action
            AND NEW.state_before IS NOT DISTINCT FROM OLD.state_before
            AND NEW.state_after IS NOT DISTINCT FROM OLD.state_after
            AND NEW.outcome = OLD.outcome AND NEW.hash = OLD.hash AND NEW.previous = OLD.previous
            AND (NEW.actor = OLD.actor OR NEW.actor LIKE 'erased:%')
            AND (NEW.acting_for = OLD.acting_for OR NEW.acting_for LIKE 'erased:%')
            AND (NEW.source = OLD.source OR NEW.source LIKE 'erased:%')
            AND (NEW.object = OLD.object OR NEW.object LIKE 'erased:%') THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'audit records are never changed, except that people are erased';
    END IF;
    IF OLD.id <= (SELECT dropped_id FROM audit_chain) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit records are never deleted before they are dropped by age';
END
$$;

CREATE TRIGGER audit_refuse_changes BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_changes_of_audit_records();

CREATE FUNCTION refuse_to_empty_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit records are never deleted before they are dropped by age';
END
$$;

CREATE TRIGGER audit_refuse_truncate BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_empty_audit();

-- Names of people who were erased are replaced where nothing else is ever changed: what is counted stays.
CREATE OR REPLACE FUNCTION refuse_changes_of_the_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF to_jsonb(NEW) - 'user_name' - 'owner' = to_jsonb(OLD) - 'user_name' - 'owner'
            AND (NEW.user_name = OLD.user_name OR NEW.user_name LIKE 'erased-%')
            AND (NEW.owner = OLD.owner OR NEW.owner LIKE 'erased-%') THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of the ledger are never changed or deleted, except that people are erased';
END
$$;

DROP TRIGGER ledger_rows_refuse_changes ON ledger_rows;
CREATE TRIGGER ledger_rows_refuse_changes BEFORE UPDATE OR DELETE ON ledger_rows
    FOR EACH ROW EXECUTE FUNCTION refuse_changes_of_the_ledger();

CREATE OR REPLACE FUNCTION refuse_changes_of_the_power_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF to_jsonb(NEW) - 'by_name' = to_jsonb(OLD) - 'by_name'
            AND (NEW.by_name IS NOT DISTINCT FROM OLD.by_name OR NEW.by_name LIKE 'erased-%') THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of the power log are never changed or deleted, except that people are erased';
END
$$;

DROP TRIGGER power_log_refuse_changes ON power_log;
CREATE TRIGGER power_log_refuse_changes BEFORE UPDATE OR DELETE ON power_log
    FOR EACH ROW EXECUTE FUNCTION refuse_changes_of_the_power_log();
