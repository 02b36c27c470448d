-- Power actions switch nodes off, too, and are followed until their effect is seen. asked_by: reservation, plan, keep_warm, or
-- a person by name. since_s: when it came to its state. orders: how many were given. due_s: when it is to be ordered first.
-- until_s: from then on it is of no use; null where nothing says so. wake_s: when a node that is switched off is to be woken
-- again. saves_: thousandths of microjoules and of the exact units of money and CO2, as decimal text; null where it is not
-- known. SQLite cannot change what a table was made with. AUTOINCREMENT, since the log names actions that were forgotten.
CREATE TABLE followed_power_actions (
    id                          INTEGER PRIMARY KEY AUTOINCREMENT,
    node                        TEXT    NOT NULL,
    action                      TEXT    NOT NULL CHECK (action IN ('power_up', 'power_down')),
    reservation_id              BLOB    REFERENCES reservations (id),
    state                       TEXT    NOT NULL CHECK (state IN (
        'proposed', 'waiting', 'ordered', 'failed', 'done', 'refused', 'given_up')),
    because                     TEXT,
    created_s                   INTEGER NOT NULL,
    ordered_s                   INTEGER,
    done_s                      INTEGER,
    asked_by                    TEXT    NOT NULL,
    since_s                     INTEGER NOT NULL,
    orders                      INTEGER NOT NULL CHECK (orders >= 0),
    due_s                       INTEGER NOT NULL,
    until_s                     INTEGER,
    wake_s                      INTEGER,
    saves_energy_uj_thousandths TEXT,
    saves_cost_exact_thousandths TEXT,
    saves_co2_exact_thousandths TEXT,
    decided_by                  TEXT,
    decided_s                   INTEGER,
    row_version                 INTEGER NOT NULL DEFAULT 1
) STRICT;

-- What had failed was final.
INSERT INTO followed_power_actions (id, node, action, reservation_id, state, because, created_s, ordered_s, done_s,
        asked_by, since_s, orders, due_s)
    SELECT id, node, action, reservation_id, CASE state WHEN 'failed' THEN 'given_up' ELSE state END, because, created_s,
        ordered_s, done_s, 'reservation', COALESCE(done_s, ordered_s, created_s),
        CASE WHEN ordered_s IS NULL THEN 0 ELSE 1 END, created_s
    FROM power_actions;

DROP TABLE power_actions;
ALTER TABLE followed_power_actions RENAME TO power_actions;

CREATE UNIQUE INDEX power_actions_underway ON power_actions (reservation_id, node, action)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NOT NULL;
CREATE UNIQUE INDEX power_actions_underway_alone ON power_actions (node)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NULL;
CREATE INDEX power_actions_by_reservation ON power_actions (reservation_id, node);
CREATE INDEX power_actions_by_node ON power_actions (node, id);
CREATE INDEX power_actions_open ON power_actions (id) WHERE state IN ('proposed', 'waiting', 'ordered', 'failed');
CREATE INDEX power_actions_done ON power_actions (node, done_s) WHERE state = 'done';
CREATE INDEX power_actions_switched_off ON power_actions (node, ordered_s) WHERE action = 'power_down';

-- Everything that was decided and done about the power of nodes. by_name: a person; null for the service. Rows are added
-- and never changed.
CREATE TABLE power_log (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at_s      INTEGER NOT NULL,
    node      TEXT    NOT NULL,
    action_id INTEGER,
    what      TEXT    NOT NULL CHECK (what IN (
        'proposed', 'approved', 'refused', 'ordered', 'failed', 'done', 'given_up', 'asked', 'held', 'released', 'changed')),
    by_name   TEXT,
    because   TEXT
) STRICT;

CREATE INDEX power_log_by_node ON power_log (node, id);
CREATE INDEX power_log_by_time ON power_log (at_s);

CREATE TRIGGER power_log_refuse_update BEFORE UPDATE ON power_log
BEGIN
    SELECT RAISE(ABORT, 'rows of the power log are never changed');
END;

CREATE TRIGGER power_log_refuse_delete BEFORE DELETE ON power_log
BEGIN
    SELECT RAISE(ABORT, 'rows of the power log are never deleted');
END;

-- Nodes that are not switched off until an instant. by_name: who said so.
CREATE TABLE power_holds (
    node      TEXT    NOT NULL PRIMARY KEY,
    until_s   INTEGER NOT NULL,
    by_name   TEXT    NOT NULL,
    created_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
