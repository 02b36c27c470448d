-- A jump of the clock that an event told of and that is doubted still: by how many seconds. No row where the clock is believed.
CREATE TABLE clock_doubts (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    by_s INTEGER NOT NULL
);
