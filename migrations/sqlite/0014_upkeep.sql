-- Where it is tried whether the database can be written: one row that nobody reads, as long as what a
-- booking writes.
CREATE TABLE write_trials (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    tried_s INTEGER NOT NULL,
    filling BLOB    NOT NULL
) STRICT;

INSERT INTO write_trials (id, tried_s, filling) VALUES (1, 0, X'');

-- The release that brought a migration, for older programs to name.
CREATE TABLE releases (
    migration INTEGER NOT NULL PRIMARY KEY,
    version   TEXT    NOT NULL
) STRICT;
