-- How each meter of the settings stands that is asked. asked_until_s: all that it had before was taken. notes: what it
-- told last and could not be used, a line each. The counts begin when the row was made.
CREATE TABLE polled_meters (
    id               TEXT   NOT NULL PRIMARY KEY,
    asked_until_s    BIGINT,
    last_poll_s      BIGINT NOT NULL,
    last_success_s   BIGINT,
    next_poll_s      BIGINT NOT NULL,
    failures_in_turn BIGINT NOT NULL CHECK (failures_in_turn >= 0),
    failure_s        BIGINT,
    failure          TEXT,
    notes            TEXT   NOT NULL,
    polls            BIGINT NOT NULL,
    failures         BIGINT NOT NULL,
    taken            BIGINT NOT NULL,
    late             BIGINT NOT NULL,
    doubled          BIGINT NOT NULL,
    refused          BIGINT NOT NULL
);
