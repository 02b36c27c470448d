-- The resource manager's nodes as it told them last. gone_s: since when it has none of this name.
CREATE TABLE managed_nodes (
    name              TEXT    NOT NULL PRIMARY KEY,
    address           TEXT    NOT NULL,
    cpus              INTEGER NOT NULL CHECK (cpus >= 0),
    memory_mib        INTEGER NOT NULL CHECK (memory_mib >= 0),
    generic_resources TEXT    NOT NULL,
    gone_s            INTEGER
) STRICT, WITHOUT ROWID;

-- Jobs that ended and whose consumption is not known, for who asks the accounting.
CREATE INDEX managed_jobs_unaccounted ON managed_jobs (end_s)
    WHERE phase = 'ended' AND energy_uj IS NULL;
