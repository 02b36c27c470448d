-- Series: a request that recurs by a rule. request: that of the first occurrence, as JSON. rule: when it recurs and how each
-- occurrence is chosen, as JSON. standing: with whose rights it is booked. revision: grows when its occurrences are to be
-- planned anew; row_version with every change by people.
CREATE TABLE series (
    id          BLOB    NOT NULL PRIMARY KEY,
    owner       TEXT    NOT NULL,
    project     TEXT    NOT NULL,
    standing    TEXT    NOT NULL CHECK (standing IN ('user', 'operator', 'only_user')),
    state       TEXT    NOT NULL CHECK (state IN ('running', 'completed', 'ended', 'refused')),
    request     TEXT    NOT NULL,
    rule        TEXT    NOT NULL,
    being_made  INTEGER NOT NULL CHECK (being_made IN (0, 1)),
    releases    INTEGER NOT NULL CHECK (releases IN (0, 1)),
    created_s   INTEGER NOT NULL,
    ended_s     INTEGER,
    revision    INTEGER NOT NULL,
    row_version INTEGER NOT NULL
) STRICT;

CREATE INDEX series_by_owner ON series (owner, id);

-- occurrence: its nominal start by the clocks of the series' time zone. known_by_s: once agendas are known until then, all
-- of its window is. reservation_id: by which it is or is to be booked; there may be no such reservation yet. revision: that
-- of the series by which it was booked. next_try_s: when something is to be done about it; empty for nothing.
CREATE TABLE series_occurrences (
    series_id        BLOB    NOT NULL REFERENCES series (id),
    occurrence       TEXT    NOT NULL,
    earliest_start_s INTEGER NOT NULL,
    latest_start_s   INTEGER NOT NULL,
    known_by_s       INTEGER NOT NULL,
    state            TEXT    NOT NULL CHECK (state IN (
        'waiting', 'booked', 'impossible', 'leaving', 'left_out', 'ending', 'ended')),
    is_exception     INTEGER NOT NULL CHECK (is_exception IN (0, 1)),
    reservation_id   BLOB,
    revision         INTEGER NOT NULL,
    next_try_s       INTEGER,
    reason_code      TEXT,
    reason           TEXT,
    version          INTEGER NOT NULL,
    PRIMARY KEY (series_id, occurrence)
) STRICT;

CREATE UNIQUE INDEX series_occurrences_by_reservation ON series_occurrences (reservation_id)
    WHERE reservation_id IS NOT NULL;
CREATE INDEX series_occurrences_to_do ON series_occurrences (next_try_s) WHERE next_try_s IS NOT NULL;
