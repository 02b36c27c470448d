-- Where it is tried whether the database can be written: one row that nobody reads, as long as what a
-- booking writes.
CREATE TABLE write_trials (
    id      BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    tried_s BIGINT NOT NULL,
    filling BYTEA  NOT NULL
);

-- Else its bytes, which are all alike, would be compressed to a few.
ALTER TABLE write_trials ALTER COLUMN filling SET STORAGE EXTERNAL;

INSERT INTO write_trials (id, tried_s, filling) VALUES (1, 0, '');

-- The release that brought a migration, for older programs to name.
CREATE TABLE releases (
    migration BIGINT NOT NULL PRIMARY KEY,
    version   TEXT   NOT NULL
);
