-- Nodes that cannot be taken though nobody reserved them. end_s: null where no end is known.
-- ranks: first-last pairs of the draw order of the epoch, separated by spaces. Outages that have yet
-- to end are always of the newest epoch.
CREATE TABLE outages (
    id        BLOB NOT NULL PRIMARY KEY,
    owner     TEXT NOT NULL,
    reason    TEXT NOT NULL,
    created_s INTEGER NOT NULL,
    epoch     INTEGER NOT NULL REFERENCES calibration_epochs (id),
    start_s   INTEGER NOT NULL,
    end_s     INTEGER,
    ranks     TEXT NOT NULL,
    CHECK (start_s < end_s)
) STRICT;

CREATE INDEX outages_by_end ON outages (end_s);
