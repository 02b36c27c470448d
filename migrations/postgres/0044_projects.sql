-- Projects: a tree, and who is in each. The source says who told of it: api, file or slurm.
CREATE TABLE projects (
    name   TEXT NOT NULL PRIMARY KEY,
    parent TEXT,
    source TEXT NOT NULL
);

CREATE TABLE project_members (
    project    TEXT    NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
    user_name  TEXT    NOT NULL,
    is_manager BOOLEAN NOT NULL,
    source     TEXT    NOT NULL,
    PRIMARY KEY (project, user_name)
);

-- The project that a reservation is made for; empty where it is for none.
ALTER TABLE reservations ADD COLUMN project TEXT NOT NULL DEFAULT '';
UPDATE reservations SET project = COALESCE(request::jsonb -> 'labels' ->> 'project', '');
CREATE INDEX reservations_by_project ON reservations (project) WHERE project <> '';
