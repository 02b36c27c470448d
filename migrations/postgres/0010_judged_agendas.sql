-- Up to which revision of agendas all that is offered and promised was judged anew. Who judges holds
-- the lease 'outlooks' and writes here when through: where it dies before, another does it again.
CREATE TABLE judged_agendas (
    id          BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    revision_id BIGINT NOT NULL
);

INSERT INTO judged_agendas (id, revision_id) VALUES (1, 0);

-- Whether a reservation is due to start is asked before each answer about one.
CREATE INDEX reservations_by_state_and_start ON reservations (state, start_s);
