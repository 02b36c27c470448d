-- Secret addresses of calendar feeds, one for each user; known by its digest only.
CREATE TABLE calendar_feeds (
    owner     TEXT   NOT NULL PRIMARY KEY,
    digest    TEXT   NOT NULL UNIQUE,
    created_s BIGINT NOT NULL
);

-- What happened to what is somebody's, newest first.
CREATE INDEX events_of_owner ON events (owner, id) WHERE owner IS NOT NULL;

-- What users want to be told by mail: the address that was confirmed, and one that is to be, with a digest of the code
-- that was sent there. code_sent_s: when a code was last sent, also where its address was forgotten. codes_sent: how
-- many since codes_since_s, a day at the longest. kinds: words with spaces between them.
CREATE TABLE notifications (
    owner         TEXT    NOT NULL PRIMARY KEY,
    address       TEXT,
    pending       TEXT,
    code_digest   TEXT,
    code_sent_s   BIGINT,
    code_tries    BIGINT NOT NULL,
    codes_since_s BIGINT,
    codes_sent    BIGINT NOT NULL,
    kinds         TEXT    NOT NULL,
    begins_soon_s BIGINT NOT NULL
);

-- How far mails are written of events: one row. instance: part of the mails' ids as receivers see them.
CREATE TABLE mail_position (
    id       BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    instance UUID    NOT NULL,
    position BIGINT NOT NULL
);

-- Mails to be sent, and those that were, so that none is written twice. state: waiting, sent or given_up.
CREATE TABLE mails (
    id             TEXT    NOT NULL PRIMARY KEY,
    owner          TEXT    NOT NULL,
    address        TEXT    NOT NULL,
    subject        TEXT    NOT NULL,
    body           TEXT    NOT NULL,
    created_s      BIGINT NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    failures       BIGINT NOT NULL,
    next_attempt_s BIGINT NOT NULL,
    ended_s        BIGINT,
    last_failure   TEXT
);
CREATE INDEX mails_waiting ON mails (next_attempt_s) WHERE state = 'waiting';

-- Webhooks that users named, each with what its messages are signed with. webhook: the id of its row in webhooks, which
-- says how far it is told.
CREATE TABLE own_webhooks (
    owner   TEXT NOT NULL PRIMARY KEY,
    url     TEXT NOT NULL,
    secret  TEXT NOT NULL,
    webhook TEXT NOT NULL UNIQUE
);
