-- Who signs in at an issuer (OpenID Connect): a subject of it, and the name under which what is theirs is kept.
-- A name belongs to one person for good. Tokens issued before tokens_from_s are refused, and all while blocked.
CREATE TABLE people (
    id            BLOB    NOT NULL PRIMARY KEY,
    issuer        TEXT    NOT NULL,
    subject       TEXT    NOT NULL,
    name          TEXT    NOT NULL UNIQUE,
    first_seen_s  INTEGER NOT NULL,
    tokens_from_s INTEGER,
    blocked_s     INTEGER,
    UNIQUE (issuer, subject)
) STRICT;
