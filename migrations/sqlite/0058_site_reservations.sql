-- Reservations at other sites that users asked for here. The id is the key under which the other site makes it once.
CREATE TABLE site_reservations (
    id               BLOB    NOT NULL PRIMARY KEY,
    owner            TEXT    NOT NULL,
    site             TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    -- Of who asked, so that what is asked again is answered again.
    asked_key        TEXT,
    asked_digest     TEXT    NOT NULL,
    -- What was asked for and offered, what was sent, and what the site said of it, as JSON.
    asked            TEXT    NOT NULL,
    sent             TEXT    NOT NULL,
    told             TEXT,
    -- The reservation and the offer at the other site.
    reservation_id   BLOB,
    offer_id         BLOB,
    state_there      TEXT,
    -- Why it stands as it does: a code, and words.
    reason           TEXT,
    because          TEXT,
    created_s        INTEGER NOT NULL,
    changed_s        INTEGER NOT NULL,
    row_version      INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE UNIQUE INDEX site_reservations_by_key ON site_reservations (owner, asked_key);
CREATE INDEX site_reservations_by_state ON site_reservations (state);
