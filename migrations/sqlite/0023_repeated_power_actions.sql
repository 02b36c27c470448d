-- A node that is switched off again before its reservation begins is switched on again: of a node, a
-- reservation and an action only one is underway. SQLite cannot drop what a table was made with.
CREATE TABLE repeated_power_actions (
    id             INTEGER NOT NULL PRIMARY KEY,
    node           TEXT    NOT NULL,
    action         TEXT    NOT NULL CHECK (action IN ('power_up')),
    reservation_id BLOB    NOT NULL REFERENCES reservations (id),
    state          TEXT    NOT NULL CHECK (state IN ('waiting', 'ordered', 'done', 'failed')),
    because        TEXT,
    created_s      INTEGER NOT NULL,
    ordered_s      INTEGER,
    done_s         INTEGER
) STRICT;

INSERT INTO repeated_power_actions (id, node, action, reservation_id, state, because, created_s, ordered_s,
        done_s)
    SELECT id, node, action, reservation_id, state, because, created_s, ordered_s, done_s
    FROM power_actions;

DROP TABLE power_actions;
ALTER TABLE repeated_power_actions RENAME TO power_actions;

CREATE UNIQUE INDEX power_actions_underway ON power_actions (reservation_id, node, action)
    WHERE state IN ('waiting', 'ordered');
CREATE INDEX power_actions_by_reservation ON power_actions (reservation_id, node);
CREATE INDEX power_actions_open ON power_actions (id) WHERE state IN ('waiting', 'ordered');
CREATE INDEX power_actions_done ON power_actions (node, done_s) WHERE state = 'done';
