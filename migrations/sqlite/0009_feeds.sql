-- Every revision that a source sent is kept: "what was known then". pieces: packed, see feed/packed.rs
-- of the storage crate. quality: the least of its pieces. notes: what was odd about it, a line each.
CREATE TABLE feed_revisions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    feed         TEXT    NOT NULL,
    quantity     TEXT    NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    zone         TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    quality      TEXT    NOT NULL,
    issued_s     INTEGER,
    received_s   INTEGER NOT NULL,
    span_start_s INTEGER NOT NULL,
    span_end_s   INTEGER NOT NULL,
    piece_count  INTEGER NOT NULL,
    notes        TEXT    NOT NULL,
    pieces       BLOB    NOT NULL,
    CHECK (span_start_s < span_end_s)
) STRICT;

-- Revisions are read newest first until they cover what is asked for, so the index leads with the
-- receipt and holds the spans: which revisions are needed is known before any is read.
CREATE INDEX feed_revisions_by_receipt
    ON feed_revisions (feed, quantity, received_s, id, span_start_s, span_end_s);
CREATE INDEX feed_revisions_by_feed ON feed_revisions (feed, id);

-- How a source stands. requests and failures count since the row was made.
CREATE TABLE feeds (
    id               TEXT    NOT NULL PRIMARY KEY,
    last_poll_s      INTEGER,
    last_success_s   INTEGER,
    error            TEXT,
    error_class      TEXT,
    error_s          INTEGER,
    validator        TEXT,
    next_poll_s      INTEGER NOT NULL,
    closed_until_s   INTEGER NOT NULL,
    failures_in_turn INTEGER NOT NULL,
    horizon_s        INTEGER,
    grown_s          INTEGER,
    requests         INTEGER NOT NULL,
    failures         INTEGER NOT NULL,
    refresh_s        INTEGER
) STRICT, WITHOUT ROWID;

-- Who does what only one replica should do. Whoever holds a lease makes it beat; the others take it
-- when they see no beat for long enough by their own watches, so that clocks need not agree.
CREATE TABLE leases (
    name   TEXT    NOT NULL PRIMARY KEY,
    holder TEXT    NOT NULL,
    beat   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is expected now of what was offered or promised earlier. document: JSON.
CREATE TABLE outlooks (
    reservation_id BLOB    NOT NULL PRIMARY KEY REFERENCES reservations (id),
    evaluated_s    INTEGER NOT NULL,
    document       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- What the pieces of a composed agenda rest on: JSON; null where the revision's own columns say it.
ALTER TABLE agenda_revisions ADD COLUMN provenance TEXT;

-- As for feeds: newest first until the window is covered.
DROP INDEX agenda_revisions_by_span;
CREATE INDEX agenda_revisions_by_receipt
    ON agenda_revisions (quantity, received_s, id, span_start_s, span_end_s);
