-- Who signs in at an issuer (OpenID Connect): a subject of it, and the name under which what is theirs is kept.
-- A name belongs to one person for good. Tokens issued before tokens_from_s are refused, and all while blocked.
CREATE TABLE people (
    id            UUID   NOT NULL PRIMARY KEY,
    issuer        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    name          TEXT   NOT NULL UNIQUE,
    first_seen_s  BIGINT NOT NULL,
    tokens_from_s BIGINT,
    blocked_s     BIGINT,
    UNIQUE (issuer, subject)
);
