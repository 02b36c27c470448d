-- A quantity whose sources disagree: since when that is told, and where, as whoever composes the agenda wrote it. No row where they agree.
CREATE TABLE feed_disagreements (
    quantity TEXT    NOT NULL PRIMARY KEY,
    since_s  BIGINT  NOT NULL,
    found    TEXT    NOT NULL
);
