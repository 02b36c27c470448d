-- Conversations with the supplier. subject: JSON, what it is about as it stands.
CREATE TABLE negotiations (
    id         UUID    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN (
        'extra_power', 'planned_consumption', 'low_consumption', 'actual_consumption', 'notice')),
    state      TEXT    NOT NULL CHECK (state IN ('open', 'closed')),
    outcome    TEXT    CHECK (outcome IN (
        'granted', 'partly_granted', 'refused', 'unanswered', 'withdrawn', 'done')),
    subject    TEXT    NOT NULL,
    opened_s   BIGINT  NOT NULL,
    deadline_s BIGINT,
    closed_s   BIGINT,
    CHECK ((state = 'closed') = (outcome IS NOT NULL)),
    CHECK ((state = 'closed') = (closed_s IS NOT NULL))
);

-- One conversation of a kind is open at a time: what is asked for is combined in it.
CREATE UNIQUE INDEX negotiations_open ON negotiations (kind) WHERE state = 'open';

-- What was said, and for what goes to the supplier whether it arrived. carrier: the way it takes;
-- messages of the API are there to be read.
CREATE TABLE negotiation_messages (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    negotiation_id UUID    NOT NULL REFERENCES negotiations (id),
    said_s         BIGINT  NOT NULL,
    direction      TEXT    NOT NULL CHECK (direction IN ('to_supplier', 'from_supplier')),
    kind           TEXT    NOT NULL,
    carrier        TEXT    NOT NULL,
    document       TEXT    NOT NULL,
    delivery       TEXT    NOT NULL CHECK (delivery IN (
        'waiting', 'delivered', 'superseded', 'failed', 'received')),
    attempts       BIGINT  NOT NULL DEFAULT 0,
    next_attempt_s BIGINT,
    delivered_s    BIGINT,
    error          TEXT
);

CREATE INDEX negotiation_messages_by_negotiation ON negotiation_messages (negotiation_id, id);
CREATE INDEX negotiation_messages_waiting ON negotiation_messages (next_attempt_s)
    WHERE delivery = 'waiting';

-- Extra power that the supplier granted, on top of the cap. standing: 'set_aside' for those who
-- asked until they had their turn, then 'in_force' for all. supplier_id: the supplier's own name of it.
CREATE TABLE grants (
    id             UUID    NOT NULL PRIMARY KEY,
    supplier_id    TEXT    UNIQUE,
    negotiation_id UUID    REFERENCES negotiations (id),
    standing       TEXT    NOT NULL CHECK (standing IN ('set_aside', 'in_force', 'revoked')),
    start_s        BIGINT  NOT NULL,
    end_s          BIGINT  NOT NULL,
    power_uw       BIGINT  NOT NULL CHECK (power_uw > 0),
    fee_millionths BIGINT  NOT NULL CHECK (fee_millionths >= 0),
    received_s     BIGINT  NOT NULL,
    revoked_s      BIGINT,
    CHECK (start_s < end_s)
);

CREATE INDEX grants_by_end ON grants (end_s, start_s);

-- What was consumed, after the fact: mean power over each span.
CREATE TABLE consumption (
    start_s  BIGINT  NOT NULL PRIMARY KEY,
    end_s    BIGINT  NOT NULL,
    power_uw BIGINT  NOT NULL CHECK (power_uw >= 0),
    CHECK (start_s < end_s)
);

-- The count of changes at which grants last changed.
ALTER TABLE book ADD COLUMN grants_changed BIGINT  NOT NULL DEFAULT 0;

-- confirmed_s: when an offer was chosen. priority: the lowest gives way first where the site says so.
-- replaces: ends when an offer of this one is chosen. notice: JSON, what its owner is to know.
ALTER TABLE reservations ADD COLUMN confirmed_s BIGINT;
ALTER TABLE reservations ADD COLUMN priority BIGINT  NOT NULL DEFAULT 0;
ALTER TABLE reservations ADD COLUMN replaces UUID REFERENCES reservations (id);
ALTER TABLE reservations ADD COLUMN notice TEXT;
