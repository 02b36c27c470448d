-- How each meter of the settings stands that is asked. asked_until_s: all that it had before was taken. notes: what it
-- told last and could not be used, a line each. The counts begin when the row was made.
CREATE TABLE polled_meters (
    id               TEXT    NOT NULL PRIMARY KEY,
    asked_until_s    INTEGER,
    last_poll_s      INTEGER NOT NULL,
    last_success_s   INTEGER,
    next_poll_s      INTEGER NOT NULL,
    failures_in_turn INTEGER NOT NULL CHECK (failures_in_turn >= 0),
    failure_s        INTEGER,
    failure          TEXT,
    notes            TEXT    NOT NULL,
    polls            INTEGER NOT NULL,
    failures         INTEGER NOT NULL,
    taken            INTEGER NOT NULL,
    late             INTEGER NOT NULL,
    doubled          INTEGER NOT NULL,
    refused          INTEGER NOT NULL
) STRICT;
