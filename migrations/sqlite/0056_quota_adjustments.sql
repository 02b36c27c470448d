-- Rules of quotas that operators make for a time, before those of the settings. Limits are as they were written:
-- -1, a number, or a part of all nodes such as 0.5*ALL; empty where the rule does not say.
CREATE TABLE quota_adjustments (
    id           BLOB    NOT NULL PRIMARY KEY,
    made_by      TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    created_s    INTEGER NOT NULL,
    row_version  INTEGER NOT NULL DEFAULT 1,
    from_s       INTEGER NOT NULL,
    to_s         INTEGER,
    partition    TEXT    NOT NULL,
    project      TEXT    NOT NULL,
    job_type     TEXT    NOT NULL,
    user_name    TEXT    NOT NULL,
    nodes        TEXT,
    reservations TEXT,
    node_hours   TEXT,
    energy_kwh   TEXT,
    cost         TEXT,
    co2_kg       TEXT,
    with_below   INTEGER NOT NULL CHECK (with_below IN (0, 1)),
    per          TEXT,
    period_from  TEXT,
    period_to    TEXT,
    CHECK (to_s IS NULL OR to_s > from_s),
    CHECK ((per IS NOT NULL AND per = 'fixed') = (period_from IS NOT NULL AND period_to IS NOT NULL))
) STRICT;

CREATE INDEX quota_adjustments_by_end ON quota_adjustments (to_s);

-- When they last changed.
ALTER TABLE book ADD COLUMN quotas_changed INTEGER NOT NULL DEFAULT 0;
