-- The nodes of an epoch, packed: see docs/decisions/0006-nodes-in-packed-columns.md. The rows of the
-- table nodes are kept for epochs of before; those of the newest are packed when it is next opened.
CREATE TABLE node_chunks (
    epoch         BIGINT NOT NULL REFERENCES calibration_epochs (id),
    first_ordinal BIGINT NOT NULL,
    data          BYTEA NOT NULL,
    PRIMARY KEY (epoch, first_ordinal)
);

-- numbered: the names are n0, n1, ... labels: a line for each kind of partitions and features.
-- digest: SHA-256 of the chunks and of the ranks that allocations count in; null before packing.
ALTER TABLE calibration_epochs ADD COLUMN numbered BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE calibration_epochs ADD COLUMN labels TEXT NOT NULL DEFAULT '';
ALTER TABLE calibration_epochs ADD COLUMN digest BYTEA;
