-- start_s and end_s are those of the chosen offer. chosen_offer_id has no foreign key: offers refer
-- to reservations, and a circle could only be inserted with deferred checks.
CREATE TABLE reservations (
    id              BLOB    NOT NULL PRIMARY KEY,
    owner           TEXT    NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN (
        'proposed', 'confirmed', 'active', 'completed', 'cancelled', 'expired', 'rejected',
        'failed', 'awaiting_supplier')),
    degraded        INTEGER NOT NULL DEFAULT 0 CHECK (degraded IN (0, 1)),
    request         TEXT    NOT NULL,
    created_s       INTEGER NOT NULL,
    expires_s       INTEGER NOT NULL,
    chosen_offer_id BLOB,
    start_s         INTEGER,
    end_s           INTEGER,
    document        TEXT    NOT NULL,
    row_version     INTEGER NOT NULL DEFAULT 1,
    CHECK (start_s < end_s)
) STRICT;

CREATE INDEX reservations_by_owner ON reservations (owner, id);
CREATE INDEX reservations_by_state_and_expiry ON reservations (state, expires_s);
CREATE INDEX reservations_by_state_and_end ON reservations (state, end_s, start_s);

-- rankings: the words of the rankings the offer wins, separated by spaces.
CREATE TABLE offers (
    id             BLOB    NOT NULL PRIMARY KEY,
    reservation_id BLOB    NOT NULL REFERENCES reservations (id),
    start_s        INTEGER NOT NULL,
    end_s          INTEGER NOT NULL,
    position       INTEGER NOT NULL,
    document       TEXT    NOT NULL,
    rankings       TEXT    NOT NULL,
    CHECK (start_s < end_s)
) STRICT;

CREATE INDEX offers_by_reservation ON offers (reservation_id, position);

-- Who holds which ranks of an epoch's draw order when. Rows that have yet to end are always of the
-- newest epoch, so that ranks may be compared across rows without comparing epochs.
CREATE TABLE allocations (
    id             INTEGER NOT NULL PRIMARY KEY,
    reservation_id BLOB    NOT NULL REFERENCES reservations (id),
    offer_id       BLOB    NOT NULL REFERENCES offers (id),
    epoch          INTEGER NOT NULL REFERENCES calibration_epochs (id),
    first_rank     INTEGER NOT NULL CHECK (first_rank >= 0),
    end_rank       INTEGER NOT NULL,
    start_s        INTEGER NOT NULL CHECK (start_s >= 0),
    end_s          INTEGER NOT NULL,
    UNIQUE (offer_id, start_s, first_rank),
    CHECK (first_rank < end_rank),
    CHECK (start_s < end_s)
) STRICT;

CREATE INDEX allocations_by_reservation ON allocations (reservation_id);
CREATE INDEX allocations_by_end ON allocations (end_s, start_s);

-- The rows as boxes of ranks and time, so that a row is compared with its neighbours only: after a
-- recalibration a booking of many nodes may be as many rows. An R-tree holds 32-bit integers and
-- closed intervals; in steps of 128 s they reach the year 9999. A box is never smaller than its
-- row, and what it finds is compared exactly.
CREATE VIRTUAL TABLE allocation_boxes
    USING rtree_i32 (id, first_rank, last_rank, first_step, last_step);

CREATE TRIGGER allocations_box_on_insert AFTER INSERT ON allocations
BEGIN
    INSERT INTO allocation_boxes (id, first_rank, last_rank, first_step, last_step)
    VALUES (NEW.id, NEW.first_rank, NEW.end_rank - 1, NEW.start_s / 128, (NEW.end_s - 1) / 128);
END;

CREATE TRIGGER allocations_box_on_update AFTER UPDATE ON allocations
BEGIN
    DELETE FROM allocation_boxes WHERE id = OLD.id;
    INSERT INTO allocation_boxes (id, first_rank, last_rank, first_step, last_step)
    VALUES (NEW.id, NEW.first_rank, NEW.end_rank - 1, NEW.start_s / 128, (NEW.end_s - 1) / 128);
END;

CREATE TRIGGER allocations_box_on_delete AFTER DELETE ON allocations
BEGIN
    DELETE FROM allocation_boxes WHERE id = OLD.id;
END;

-- The exclusion constraint of PostgreSQL, spelt as triggers. Alternative offers of one reservation
-- may overlap.
CREATE TRIGGER allocations_refuse_double_booking_on_insert BEFORE INSERT ON allocations
WHEN EXISTS (
    SELECT 1 FROM allocation_boxes AS box JOIN allocations AS other ON other.id = box.id
    WHERE box.first_rank < NEW.end_rank AND box.last_rank >= NEW.first_rank
      AND box.first_step <= (NEW.end_s - 1) / 128 AND box.last_step >= NEW.start_s / 128
      AND other.start_s < NEW.end_s AND other.end_s > NEW.start_s
      AND other.reservation_id <> NEW.reservation_id)
BEGIN
    SELECT RAISE(ABORT, 'double booking');
END;

CREATE TRIGGER allocations_refuse_double_booking_on_update BEFORE UPDATE ON allocations
WHEN EXISTS (
    SELECT 1 FROM allocation_boxes AS box JOIN allocations AS other ON other.id = box.id
    WHERE box.first_rank < NEW.end_rank AND box.last_rank >= NEW.first_rank
      AND box.first_step <= (NEW.end_s - 1) / 128 AND box.last_step >= NEW.start_s / 128
      AND other.start_s < NEW.end_s AND other.end_s > NEW.start_s
      AND other.reservation_id <> NEW.reservation_id
      AND other.id <> OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'double booking');
END;
