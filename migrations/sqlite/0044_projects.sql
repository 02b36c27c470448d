-- Projects: a tree, and who is in each. The source says who told of it: api, file or slurm.
CREATE TABLE projects (
    name   TEXT NOT NULL PRIMARY KEY,
    parent TEXT,
    source TEXT NOT NULL
) STRICT;

CREATE TABLE project_members (
    project    TEXT    NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
    user_name  TEXT    NOT NULL,
    is_manager INTEGER NOT NULL CHECK (is_manager IN (0, 1)),
    source     TEXT    NOT NULL,
    PRIMARY KEY (project, user_name)
) STRICT;

-- The project that a reservation is made for; empty where it is for none.
ALTER TABLE reservations ADD COLUMN project TEXT NOT NULL DEFAULT '';
UPDATE reservations SET project = COALESCE(json_extract(request, '$.labels.project'), '') WHERE json_valid(request);
CREATE INDEX reservations_by_project ON reservations (project) WHERE project <> '';
