-- Power actions switch nodes off, too, and are followed until their effect is seen. asked_by: reservation, plan, keep_warm, or
-- a person by name. since_s: when it came to its state. orders: how many were given. due_s: when it is to be ordered first.
-- until_s: from then on it is of no use; null where nothing says so. wake_s: when a node that is switched off is to be woken
-- again. saves_: thousandths of microjoules and of the exact units of money and CO2, as decimal text; null where it is not
-- known.
ALTER TABLE power_actions DROP CONSTRAINT power_actions_action_check;
ALTER TABLE power_actions DROP CONSTRAINT power_actions_state_check;
ALTER TABLE power_actions ALTER COLUMN reservation_id DROP NOT NULL;
ALTER TABLE power_actions
    ADD COLUMN asked_by                     TEXT   NOT NULL DEFAULT 'reservation',
    ADD COLUMN since_s                      BIGINT,
    ADD COLUMN orders                       BIGINT NOT NULL DEFAULT 0 CHECK (orders >= 0),
    ADD COLUMN due_s                        BIGINT,
    ADD COLUMN until_s                      BIGINT,
    ADD COLUMN wake_s                       BIGINT,
    ADD COLUMN saves_energy_uj_thousandths  TEXT,
    ADD COLUMN saves_cost_exact_thousandths TEXT,
    ADD COLUMN saves_co2_exact_thousandths  TEXT,
    ADD COLUMN decided_by                   TEXT,
    ADD COLUMN decided_s                    BIGINT,
    ADD COLUMN row_version                  BIGINT NOT NULL DEFAULT 1;

-- What had failed was final.
UPDATE power_actions SET state = CASE state WHEN 'failed' THEN 'given_up' ELSE state END,
    since_s = COALESCE(done_s, ordered_s, created_s), due_s = created_s,
    orders = CASE WHEN ordered_s IS NULL THEN 0 ELSE 1 END;

ALTER TABLE power_actions
    ALTER COLUMN asked_by DROP DEFAULT,
    ALTER COLUMN orders DROP DEFAULT,
    ALTER COLUMN since_s SET NOT NULL,
    ALTER COLUMN due_s SET NOT NULL,
    ADD CHECK (action IN ('power_up', 'power_down')),
    ADD CHECK (state IN ('proposed', 'waiting', 'ordered', 'failed', 'done', 'refused', 'given_up'));

DROP INDEX power_actions_underway;
DROP INDEX power_actions_open;
CREATE UNIQUE INDEX power_actions_underway ON power_actions (reservation_id, node, action)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NOT NULL;
CREATE UNIQUE INDEX power_actions_underway_alone ON power_actions (node)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NULL;
CREATE INDEX power_actions_by_node ON power_actions (node, id);
CREATE INDEX power_actions_open ON power_actions (id) WHERE state IN ('proposed', 'waiting', 'ordered', 'failed');
CREATE INDEX power_actions_switched_off ON power_actions (node, ordered_s) WHERE action = 'power_down';

-- Everything that was decided and done about the power of nodes. by_name: a person; null for the service. Rows are added
-- and never changed.
CREATE TABLE power_log (
    id        BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_s      BIGINT  NOT NULL,
    node      TEXT    NOT NULL,
    action_id BIGINT,
    what      TEXT    NOT NULL CHECK (what IN (
        'proposed', 'approved', 'refused', 'ordered', 'failed', 'done', 'given_up', 'asked', 'held', 'released', 'changed')),
    by_name   TEXT,
    because   TEXT
);

CREATE INDEX power_log_by_node ON power_log (node, id);
CREATE INDEX power_log_by_time ON power_log (at_s);

CREATE FUNCTION refuse_changes_of_the_power_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of the power log are never changed or deleted';
END
$$;

CREATE TRIGGER power_log_refuse_changes BEFORE UPDATE OR DELETE ON power_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes_of_the_power_log();

-- Nodes that are not switched off until an instant. by_name: who said so.
CREATE TABLE power_holds (
    node      TEXT    NOT NULL PRIMARY KEY,
    until_s   BIGINT  NOT NULL,
    by_name   TEXT    NOT NULL,
    created_s BIGINT  NOT NULL
);
