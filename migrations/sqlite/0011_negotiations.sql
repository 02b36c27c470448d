-- Conversations with the supplier. subject: JSON, what it is about as it stands.
CREATE TABLE negotiations (
    id         BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN (
        'extra_power', 'planned_consumption', 'low_consumption', 'actual_consumption', 'notice')),
    state      TEXT    NOT NULL CHECK (state IN ('open', 'closed')),
    outcome    TEXT    CHECK (outcome IN (
        'granted', 'partly_granted', 'refused', 'unanswered', 'withdrawn', 'done')),
    subject    TEXT    NOT NULL,
    opened_s   INTEGER NOT NULL,
    deadline_s INTEGER,
    closed_s   INTEGER,
    CHECK ((state = 'closed') = (outcome IS NOT NULL)),
    CHECK ((state = 'closed') = (closed_s IS NOT NULL))
) STRICT;

-- One conversation of a kind is open at a time: what is asked for is combined in it.
CREATE UNIQUE INDEX negotiations_open ON negotiations (kind) WHERE state = 'open';

-- What was said, and for what goes to the supplier whether it arrived. carrier: the way it takes;
-- messages of the API are there to be read.
CREATE TABLE negotiation_messages (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    negotiation_id BLOB    NOT NULL REFERENCES negotiations (id),
    said_s         INTEGER NOT NULL,
    direction      TEXT    NOT NULL CHECK (direction IN ('to_supplier', 'from_supplier')),
    kind           TEXT    NOT NULL,
    carrier        TEXT    NOT NULL,
    document       TEXT    NOT NULL,
    delivery       TEXT    NOT NULL CHECK (delivery IN (
        'waiting', 'delivered', 'superseded', 'failed', 'received')),
    attempts       INTEGER NOT NULL DEFAULT 0,
    next_attempt_s INTEGER,
    delivered_s    INTEGER,
    error          TEXT
) STRICT;

CREATE INDEX negotiation_messages_by_negotiation ON negotiation_messages (negotiation_id, id);
CREATE INDEX negotiation_messages_waiting ON negotiation_messages (next_attempt_s)
    WHERE delivery = 'waiting';

-- Extra power that the supplier granted, on top of the cap. standing: 'set_aside' for those who
-- asked until they had their turn, then 'in_force' for all. supplier_id: the supplier's own name of it.
CREATE TABLE grants (
    id             BLOB    NOT NULL PRIMARY KEY,
    supplier_id    TEXT    UNIQUE,
    negotiation_id BLOB    REFERENCES negotiations (id),
    standing       TEXT    NOT NULL CHECK (standing IN ('set_aside', 'in_force', 'revoked')),
    start_s        INTEGER NOT NULL,
    end_s          INTEGER NOT NULL,
    power_uw       INTEGER NOT NULL CHECK (power_uw > 0),
    fee_millionths INTEGER NOT NULL CHECK (fee_millionths >= 0),
    received_s     INTEGER NOT NULL,
    revoked_s      INTEGER,
    CHECK (start_s < end_s)
) STRICT;

CREATE INDEX grants_by_end ON grants (end_s, start_s);

-- What was consumed, after the fact: mean power over each span.
CREATE TABLE consumption (
    start_s  INTEGER NOT NULL PRIMARY KEY,
    end_s    INTEGER NOT NULL,
    power_uw INTEGER NOT NULL CHECK (power_uw >= 0),
    CHECK (start_s < end_s)
) STRICT;

-- The count of changes at which grants last changed.
ALTER TABLE book ADD COLUMN grants_changed INTEGER NOT NULL DEFAULT 0;

-- confirmed_s: when an offer was chosen. priority: the lowest gives way first where the site says so.
-- replaces: ends when an offer of this one is chosen. notice: JSON, what its owner is to know.
ALTER TABLE reservations ADD COLUMN confirmed_s INTEGER;
ALTER TABLE reservations ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reservations ADD COLUMN replaces BLOB REFERENCES reservations (id);
ALTER TABLE reservations ADD COLUMN notice TEXT;
