-- Every revision that a source sent is kept: "what was known then". pieces: packed, see feed/packed.rs
-- of the storage crate. quality: the least of its pieces. notes: what was odd about it, a line each.
CREATE TABLE feed_revisions (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    feed         TEXT   NOT NULL,
    quantity     TEXT   NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    zone         TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    quality      TEXT   NOT NULL,
    issued_s     BIGINT,
    received_s   BIGINT NOT NULL,
    span_start_s BIGINT NOT NULL,
    span_end_s   BIGINT NOT NULL,
    piece_count  BIGINT NOT NULL,
    notes        TEXT   NOT NULL,
    pieces       BYTEA  NOT NULL,
    CHECK (span_start_s < span_end_s)
);

-- Revisions are read newest first until they cover what is asked for, so the index leads with the
-- receipt and holds the spans: which revisions are needed is known before any is read.
CREATE INDEX feed_revisions_by_receipt
    ON feed_revisions (feed, quantity, received_s, id, span_start_s, span_end_s);
CREATE INDEX feed_revisions_by_feed ON feed_revisions (feed, id);

-- How a source stands. requests and failures count since the row was made.
CREATE TABLE feeds (
    id               TEXT   NOT NULL PRIMARY KEY,
    last_poll_s      BIGINT,
    last_success_s   BIGINT,
    error            TEXT,
    error_class      TEXT,
    error_s          BIGINT,
    validator        TEXT,
    next_poll_s      BIGINT NOT NULL,
    closed_until_s   BIGINT NOT NULL,
    failures_in_turn BIGINT NOT NULL,
    horizon_s        BIGINT,
    grown_s          BIGINT,
    requests         BIGINT NOT NULL,
    failures         BIGINT NOT NULL,
    refresh_s        BIGINT
);

-- Who does what only one replica should do. Whoever holds a lease makes it beat; the others take it
-- when they see no beat for long enough by their own watches, so that clocks need not agree.
CREATE TABLE leases (
    name   TEXT   NOT NULL PRIMARY KEY,
    holder TEXT   NOT NULL,
    beat   BIGINT NOT NULL
);

-- What is expected now of what was offered or promised earlier. document: JSON.
CREATE TABLE outlooks (
    reservation_id UUID   NOT NULL PRIMARY KEY REFERENCES reservations (id),
    evaluated_s    BIGINT NOT NULL,
    document       TEXT   NOT NULL
);

-- What the pieces of a composed agenda rest on: JSON; null where the revision's own columns say it.
ALTER TABLE agenda_revisions ADD COLUMN provenance TEXT;

-- As for feeds: newest first until the window is covered.
DROP INDEX agenda_revisions_by_span;
CREATE INDEX agenda_revisions_by_receipt
    ON agenda_revisions (quantity, received_s, id, span_start_s, span_end_s);
