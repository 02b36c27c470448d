-- What happened, in the order in which it was committed: written in the transaction of the change,
-- after the book's row was taken, so that ids are committed in their order. owner: whose, or null.
-- data: JSON. Old ones are deleted, but never the newest: ids do not begin again.
CREATE TABLE events (
    id    BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_s  BIGINT NOT NULL,
    kind  TEXT   NOT NULL,
    owner TEXT,
    data  TEXT   NOT NULL
);
