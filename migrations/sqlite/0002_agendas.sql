-- Every revision a supplier sent is kept: "what was known then".
CREATE TABLE agenda_revisions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    quantity     TEXT    NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    source       TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    quality      TEXT    NOT NULL,
    issued_s     INTEGER,
    received_s   INTEGER NOT NULL,
    span_start_s INTEGER NOT NULL,
    span_end_s   INTEGER NOT NULL,
    CHECK (span_start_s < span_end_s)
) STRICT;

CREATE INDEX agenda_revisions_by_span ON agenda_revisions (quantity, span_end_s, span_start_s);

CREATE TABLE agenda_pieces (
    revision_id      INTEGER NOT NULL REFERENCES agenda_revisions (id),
    start_s          INTEGER NOT NULL,
    end_s            INTEGER NOT NULL,
    value_millionths INTEGER NOT NULL,
    PRIMARY KEY (revision_id, end_s),
    CHECK (start_s < end_s)
) STRICT, WITHOUT ROWID;

-- What is in force. Pieces of a quantity are disjoint, so that their ends order them too: the key
-- leads with the end because a window is read by "ends after the window's start".
CREATE TABLE agenda_current (
    quantity         TEXT    NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    start_s          INTEGER NOT NULL,
    end_s            INTEGER NOT NULL,
    value_millionths INTEGER NOT NULL,
    revision_id      INTEGER NOT NULL REFERENCES agenda_revisions (id),
    PRIMARY KEY (quantity, end_s),
    CHECK (start_s < end_s)
) STRICT, WITHOUT ROWID;
