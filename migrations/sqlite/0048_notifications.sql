-- Secret addresses of calendar feeds, one for each user; known by its digest only.
CREATE TABLE calendar_feeds (
    owner     TEXT    NOT NULL PRIMARY KEY,
    digest    TEXT    NOT NULL UNIQUE,
    created_s INTEGER NOT NULL
) STRICT;

-- What happened to what is somebody's, newest first.
CREATE INDEX events_of_owner ON events (owner, id) WHERE owner IS NOT NULL;
