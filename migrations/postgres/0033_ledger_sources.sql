-- Stated hours of which measurements changed since. changes: how often, so that what comes while an hour is stated anew
-- is not forgotten.
CREATE TABLE ledger_changed_hours (
    hour_s  BIGINT NOT NULL PRIMARY KEY,
    changes BIGINT NOT NULL
);

-- Since when the resource manager says of a node that it is on, off or on its way. A node without a row is on.
CREATE TABLE node_power_states (
    node    TEXT    NOT NULL,
    since_s BIGINT NOT NULL,
    state   TEXT    NOT NULL CHECK (state IN ('on', 'powering_up', 'powering_down', 'off')),
    PRIMARY KEY (node, since_s)
);
