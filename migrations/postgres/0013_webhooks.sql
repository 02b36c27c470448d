-- How far each webhook of the settings is told events. instance: part of its messages' ids, so that
-- they differ from those of every other database. position: the last event that was dealt with.
-- tried_since_s: since when the one after it is tried. gone: the receiver said that it wants no more.
CREATE TABLE webhooks (
    id             TEXT    NOT NULL PRIMARY KEY,
    instance       UUID    NOT NULL,
    position       BIGINT  NOT NULL CHECK (position >= 0),
    tried_since_s  BIGINT,
    failures       BIGINT  NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_attempt_s BIGINT,
    last_success_s BIGINT,
    last_failure_s BIGINT,
    last_failure   TEXT,
    delivered      BIGINT  NOT NULL DEFAULT 0,
    given_up       BIGINT  NOT NULL DEFAULT 0,
    gone           BOOLEAN NOT NULL DEFAULT FALSE
);
