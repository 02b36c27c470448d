-- How far each webhook of the settings is told events. instance: part of its messages' ids, so that
-- they differ from those of every other database. position: the last event that was dealt with.
-- tried_since_s: since when the one after it is tried. gone: the receiver said that it wants no more.
CREATE TABLE webhooks (
    id             TEXT    NOT NULL PRIMARY KEY,
    instance       BLOB    NOT NULL,
    position       INTEGER NOT NULL CHECK (position >= 0),
    tried_since_s  INTEGER,
    failures       INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_attempt_s INTEGER,
    last_success_s INTEGER,
    last_failure_s INTEGER,
    last_failure   TEXT,
    delivered      INTEGER NOT NULL DEFAULT 0,
    given_up       INTEGER NOT NULL DEFAULT 0,
    gone           INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1))
) STRICT;
