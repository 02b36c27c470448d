-- Draw above plan, for as long as it lasts: of a reservation's nodes, and of all nodes, whose id is zero. since_s: when it was
-- seen first. told: an event told of it.
CREATE TABLE power_excesses (
    reservation_id BLOB    NOT NULL PRIMARY KEY,
    since_s        INTEGER NOT NULL,
    told           INTEGER NOT NULL CHECK (told IN (0, 1))
) STRICT;
