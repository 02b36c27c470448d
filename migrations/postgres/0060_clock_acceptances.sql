-- How often operators said that the clock is right though it jumped.
CREATE TABLE clock_acceptances (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    count BIGINT NOT NULL
);
INSERT INTO clock_acceptances (id, count) VALUES (1, 0);
