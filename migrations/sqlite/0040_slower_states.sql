-- The slower state that an offer's nodes are in, its speed in millionths of full speed, and how much later the offer ends than at
-- full speed; null at full speed.
ALTER TABLE offers ADD COLUMN power_state TEXT;
ALTER TABLE offers ADD COLUMN speed_millionths INTEGER;
ALTER TABLE offers ADD COLUMN later_s INTEGER;

-- Power actions limit the power of nodes for reservations in a slower state ('limit'), and lift the limit after them ('lift').
-- limit_uw: the limit that the node is to have; null where it is to have none, and for other actions. former_limit_uw: of 'limit',
-- what it had before; null where it had none. SQLite cannot change what a table was made with.
CREATE TABLE limiting_power_actions (
    id                          INTEGER PRIMARY KEY AUTOINCREMENT,
    node                        TEXT    NOT NULL,
    action                      TEXT    NOT NULL CHECK (action IN ('power_up', 'power_down', 'limit', 'lift')),
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
    row_version                 INTEGER NOT NULL DEFAULT 1,
    limit_uw                    INTEGER,
    former_limit_uw             INTEGER
) STRICT;

INSERT INTO limiting_power_actions (id, node, action, reservation_id, state, because, created_s, ordered_s, done_s, asked_by,
        since_s, orders, due_s, until_s, wake_s, saves_energy_uj_thousandths, saves_cost_exact_thousandths,
        saves_co2_exact_thousandths, decided_by, decided_s, row_version)
    SELECT id, node, action, reservation_id, state, because, created_s, ordered_s, done_s, asked_by,
        since_s, orders, due_s, until_s, wake_s, saves_energy_uj_thousandths, saves_cost_exact_thousandths,
        saves_co2_exact_thousandths, decided_by, decided_s, row_version
    FROM power_actions;

-- The log names actions that were forgotten: their ids are not given again.
DELETE FROM sqlite_sequence WHERE name = 'limiting_power_actions';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'limiting_power_actions', seq FROM sqlite_sequence WHERE name = 'power_actions';

DROP TABLE power_actions;
ALTER TABLE limiting_power_actions RENAME TO power_actions;

CREATE UNIQUE INDEX power_actions_underway ON power_actions (reservation_id, node, action)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NOT NULL;
CREATE UNIQUE INDEX power_actions_underway_alone ON power_actions (node)
    WHERE state IN ('proposed', 'waiting', 'ordered', 'failed') AND reservation_id IS NULL;
CREATE INDEX power_actions_by_reservation ON power_actions (reservation_id, node);
CREATE INDEX power_actions_by_node ON power_actions (node, id);
CREATE INDEX power_actions_open ON power_actions (id) WHERE state IN ('proposed', 'waiting', 'ordered', 'failed');
CREATE INDEX power_actions_done ON power_actions (node, done_s) WHERE state = 'done';
CREATE INDEX power_actions_switched_off ON power_actions (node, ordered_s) WHERE action = 'power_down';
CREATE INDEX power_actions_limits ON power_actions (node, id) WHERE action IN ('limit', 'lift');
