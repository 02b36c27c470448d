-- digest: SHA-256 of the token in lower-case hexadecimal; the token itself is never stored.
CREATE TABLE api_tokens (
    id        BLOB    NOT NULL PRIMARY KEY,
    owner     TEXT    NOT NULL,
    role      TEXT    NOT NULL CHECK (role IN ('user', 'operator', 'supplier')),
    digest    TEXT    NOT NULL UNIQUE,
    created_s INTEGER NOT NULL,
    revoked_s INTEGER
) STRICT;

-- What was answered to a request that may be sent again.
CREATE TABLE idempotency_keys (
    owner       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    status      INTEGER NOT NULL,
    response    TEXT    NOT NULL,
    created_s   INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_s);
