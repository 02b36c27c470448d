-- With whom reservations are shared: users, or all who are in a project. may: what they may do.
CREATE TABLE shared_reservations (
    reservation_id BLOB NOT NULL REFERENCES reservations (id),
    is_project     INTEGER NOT NULL CHECK (is_project IN (0, 1)),
    name           TEXT NOT NULL,
    may            TEXT NOT NULL CHECK (may IN ('see', 'use', 'act')),
    PRIMARY KEY (reservation_id, is_project, name)
) STRICT;
CREATE INDEX shared_reservations_by_name ON shared_reservations (name);
