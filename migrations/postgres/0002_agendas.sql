-- Every revision a supplier sent is kept: "what was known then".
CREATE TABLE agenda_revisions (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    quantity     TEXT   NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    source       TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    quality      TEXT   NOT NULL,
    issued_s     BIGINT,
    received_s   BIGINT NOT NULL,
    span_start_s BIGINT NOT NULL,
    span_end_s   BIGINT NOT NULL,
    CHECK (span_start_s < span_end_s)
);

CREATE INDEX agenda_revisions_by_span ON agenda_revisions (quantity, span_end_s, span_start_s);

CREATE TABLE agenda_pieces (
    revision_id      BIGINT NOT NULL REFERENCES agenda_revisions (id),
    start_s          BIGINT NOT NULL,
    end_s            BIGINT NOT NULL,
    value_millionths BIGINT NOT NULL,
    PRIMARY KEY (revision_id, end_s),
    CHECK (start_s < end_s)
);

-- What is in force. Pieces of a quantity are disjoint, so that their ends order them too: the key
-- leads with the end because a window is read by "ends after the window's start".
CREATE TABLE agenda_current (
    quantity         TEXT   NOT NULL CHECK (quantity IN ('price', 'co2', 'power_cap')),
    start_s          BIGINT NOT NULL,
    end_s            BIGINT NOT NULL,
    value_millionths BIGINT NOT NULL,
    revision_id      BIGINT NOT NULL REFERENCES agenda_revisions (id),
    PRIMARY KEY (quantity, end_s),
    CHECK (start_s < end_s)
);
