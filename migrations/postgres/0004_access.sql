-- digest: SHA-256 of the token in lower-case hexadecimal; the token itself is never stored.
CREATE TABLE api_tokens (
    id        UUID   NOT NULL PRIMARY KEY,
    owner     TEXT   NOT NULL,
    role      TEXT   NOT NULL CHECK (role IN ('user', 'operator', 'supplier')),
    digest    TEXT   NOT NULL UNIQUE,
    created_s BIGINT NOT NULL,
    revoked_s BIGINT
);

-- What was answered to a request that may be sent again.
CREATE TABLE idempotency_keys (
    owner       TEXT   NOT NULL,
    key         TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL,
    status      BIGINT NOT NULL,
    response    TEXT   NOT NULL,
    created_s   BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_s);
