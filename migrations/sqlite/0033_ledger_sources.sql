-- Stated hours of which measurements changed since. changes: how often, so that what comes while an hour is stated anew
-- is not forgotten.
CREATE TABLE ledger_changed_hours (
    hour_s  INTEGER NOT NULL PRIMARY KEY,
    changes INTEGER NOT NULL
) STRICT;

-- Since when the resource manager says of a node that it is on, off or on its way. A node without a row is on.
CREATE TABLE node_power_states (
    node    TEXT    NOT NULL,
    since_s INTEGER NOT NULL,
    state   TEXT    NOT NULL CHECK (state IN ('on', 'powering_up', 'powering_down', 'off')),
    PRIMARY KEY (node, since_s)
) STRICT, WITHOUT ROWID;
