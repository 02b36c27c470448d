-- Series that run, what is occupied, and what runs drew by when they ended: found among all that were there in years.
CREATE INDEX series_running ON series (id) WHERE state = 'running';
CREATE INDEX outages_by_kind ON outages (kind);
CREATE INDEX measured_runs_by_end ON measured_runs (end_s);

-- What keeps power actions and negotiations from being pruned: the newest boots of a node, and grants.
CREATE INDEX power_actions_boots ON power_actions (node, done_s) WHERE action = 'power_up' AND state = 'done';
CREATE INDEX grants_by_negotiation ON grants (negotiation_id);

-- Other sites of which an event told that they do not answer, and since when.
CREATE TABLE silent_sites (
    site    TEXT    NOT NULL PRIMARY KEY,
    since_s INTEGER NOT NULL
) STRICT;
