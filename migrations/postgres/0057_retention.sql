-- What was pruned by the rules of retention (docs/RETENTION.md). from_s: what is older than that of a kind may be gone.
-- hours: hours of the ledger that begin before it are never stated anew, since what they rest on may be gone.
-- power_log: entries before it may be deleted. offers_*: offers that were not chosen were looked for up to there, among
-- reservations of that state.
CREATE TABLE kept_from (
    kind   TEXT   NOT NULL PRIMARY KEY,
    from_s BIGINT NOT NULL
);

INSERT INTO kept_from (kind, from_s) VALUES
    ('hours', 0), ('power_log', 0), ('offers_completed', 0), ('offers_cancelled', 0), ('offers_failed', 0);

-- What the chosen offers of pruned reservations promised, which reports compare with the ledger for good. node_s: the
-- seconds of nodes of the offer. Amounts are exact units, as in offers.
CREATE TABLE kept_promises (
    reservation_id  UUID    NOT NULL PRIMARY KEY,
    owner           TEXT    NOT NULL,
    completed       BOOLEAN NOT NULL,
    node_s          BIGINT  NOT NULL,
    energy_uj       TEXT    NOT NULL,
    cost_exact      TEXT    NOT NULL,
    currency        TEXT    NOT NULL,
    co2_exact       TEXT    NOT NULL,
    saved_energy_uj TEXT    NOT NULL,
    saved_cost_exact TEXT   NOT NULL,
    saved_co2_exact TEXT    NOT NULL
);

-- A reservation that is deleted is looked for among those that others take the place of.
CREATE INDEX reservations_by_replaced ON reservations (replaces) WHERE replaces IS NOT NULL;

CREATE OR REPLACE FUNCTION refuse_changes_of_the_power_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF to_jsonb(NEW) - 'by_name' = to_jsonb(OLD) - 'by_name'
            AND (NEW.by_name IS NOT DISTINCT FROM OLD.by_name OR NEW.by_name LIKE 'erased-%') THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'rows of the power log are never changed, except that people are erased';
    END IF;
    IF OLD.at_s < (SELECT from_s FROM kept_from WHERE kind = 'power_log') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'rows of the power log are never deleted before they are dropped by age';
END
$$;

-- What the ledger reads of an hour, among all that was ever switched.
CREATE INDEX node_power_states_by_time ON node_power_states (since_s);
CREATE INDEX power_actions_by_end ON power_actions (state, done_s);
