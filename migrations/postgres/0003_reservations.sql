-- start_s and end_s are those of the chosen offer. chosen_offer_id has no foreign key: offers refer
-- to reservations, and a circle could only be inserted with deferred checks.
CREATE TABLE reservations (
    id              UUID   NOT NULL PRIMARY KEY,
    owner           TEXT   NOT NULL,
    state           TEXT   NOT NULL CHECK (state IN (
        'proposed', 'confirmed', 'active', 'completed', 'cancelled', 'expired', 'rejected',
        'failed', 'awaiting_supplier')),
    degraded        BOOLEAN NOT NULL DEFAULT FALSE,
    request         TEXT   NOT NULL,
    created_s       BIGINT NOT NULL,
    expires_s       BIGINT NOT NULL,
    chosen_offer_id UUID,
    start_s         BIGINT,
    end_s           BIGINT,
    document        TEXT   NOT NULL,
    row_version     BIGINT NOT NULL DEFAULT 1,
    CHECK (start_s < end_s)
);

CREATE INDEX reservations_by_owner ON reservations (owner, id);
CREATE INDEX reservations_by_state_and_expiry ON reservations (state, expires_s);
CREATE INDEX reservations_by_state_and_end ON reservations (state, end_s, start_s);

-- rankings: the words of the rankings the offer wins, separated by spaces.
CREATE TABLE offers (
    id             UUID   NOT NULL PRIMARY KEY,
    reservation_id UUID   NOT NULL REFERENCES reservations (id),
    start_s        BIGINT NOT NULL,
    end_s          BIGINT NOT NULL,
    position       BIGINT NOT NULL,
    document       TEXT   NOT NULL,
    rankings       TEXT   NOT NULL,
    CHECK (start_s < end_s)
);

CREATE INDEX offers_by_reservation ON offers (reservation_id, position);

-- Range types under GiST compare several plain columns at once only with this extension.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Who holds which ranks of an epoch's draw order when. Rows that have yet to end are always of the
-- newest epoch, so that ranks may be compared across rows without comparing epochs. Alternative
-- offers of one reservation may overlap.
CREATE TABLE allocations (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reservation_id UUID   NOT NULL REFERENCES reservations (id),
    offer_id       UUID   NOT NULL REFERENCES offers (id),
    epoch          BIGINT NOT NULL REFERENCES calibration_epochs (id),
    first_rank     BIGINT NOT NULL CHECK (first_rank >= 0),
    end_rank       BIGINT NOT NULL,
    start_s        BIGINT NOT NULL CHECK (start_s >= 0),
    end_s          BIGINT NOT NULL,
    UNIQUE (offer_id, start_s, first_rank),
    CHECK (first_rank < end_rank),
    CHECK (start_s < end_s),
    CONSTRAINT allocations_refuse_double_booking EXCLUDE USING gist (
        int8range(first_rank, end_rank) WITH &&,
        int8range(start_s, end_s) WITH &&,
        reservation_id WITH <>)
);

CREATE INDEX allocations_by_reservation ON allocations (reservation_id);
CREATE INDEX allocations_by_end ON allocations (end_s, start_s);
