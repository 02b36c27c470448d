-- Nodes that cannot be taken though nobody reserved them. end_s: null where no end is known.
-- ranks: first-last pairs of the draw order of the epoch, separated by spaces. Outages that have yet
-- to end are always of the newest epoch.
CREATE TABLE outages (
    id        UUID NOT NULL PRIMARY KEY,
    owner     TEXT NOT NULL,
    reason    TEXT NOT NULL,
    created_s BIGINT NOT NULL,
    epoch     BIGINT NOT NULL REFERENCES calibration_epochs (id),
    start_s   BIGINT NOT NULL,
    end_s     BIGINT,
    ranks     TEXT NOT NULL,
    CHECK (start_s < end_s)
);

CREATE INDEX outages_by_end ON outages (end_s);
