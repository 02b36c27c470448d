-- Offers and what is expected of them as columns with exact amounts, which were JSON documents: see
-- docs/decisions/0015-offers-in-exact-columns.md. SQL cannot convert them: those of earlier releases
-- wait here until the database is opened, which follows at once.
CREATE TABLE former_documents (
    kind     TEXT NOT NULL CHECK (kind IN ('offer', 'outlook')),
    id       BLOB NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

INSERT INTO former_documents (kind, id, document) SELECT 'offer', id, document FROM offers;
INSERT INTO former_documents (kind, id, document)
    SELECT 'outlook', reservation_id, document FROM outlooks;

ALTER TABLE offers DROP COLUMN document;
ALTER TABLE outlooks DROP COLUMN document;

-- node_names: tabs between; null where they are not told. node_ranges: first-last pairs of ordinals,
-- spaces between. _uj: whole microjoules, _exact: whole 1/3.6e21 of the currency or 1/3.6e18 g, as
-- decimal text, since they need 128 bits. cost_exact is without the fee. basis: positions, spaces
-- between. The defaults are for rows of earlier releases until they are converted.
ALTER TABLE offers ADD COLUMN node_names TEXT;
ALTER TABLE offers ADD COLUMN node_ranges TEXT NOT NULL DEFAULT '';
ALTER TABLE offers ADD COLUMN energy_uj TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN cost_exact TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN currency TEXT NOT NULL DEFAULT 'EUR';
ALTER TABLE offers ADD COLUMN extra_power_fee_exact TEXT;
ALTER TABLE offers ADD COLUMN co2_exact TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN peak_power_uw INTEGER NOT NULL DEFAULT 0;
ALTER TABLE offers ADD COLUMN delay_s INTEGER NOT NULL DEFAULT 0;
ALTER TABLE offers ADD COLUMN saved_energy_uj TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN saved_cost_exact TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN saved_co2_exact TEXT NOT NULL DEFAULT '0';
ALTER TABLE offers ADD COLUMN cost_low_exact TEXT;
ALTER TABLE offers ADD COLUMN cost_high_exact TEXT;
ALTER TABLE offers ADD COLUMN co2_low_exact TEXT;
ALTER TABLE offers ADD COLUMN co2_high_exact TEXT;
ALTER TABLE offers ADD COLUMN basis TEXT;

-- What is expected now of the offers of a reservation that was judged; none where all is as offered.
CREATE TABLE expected_offers (
    reservation_id BLOB NOT NULL REFERENCES outlooks (reservation_id),
    position       INTEGER NOT NULL,
    offer_id       BLOB NOT NULL,
    cost_exact     TEXT,
    currency       TEXT,
    co2_exact      TEXT,
    cap_kept       INTEGER CHECK (cap_kept IN (0, 1)),
    PRIMARY KEY (reservation_id, position),
    CHECK ((cost_exact IS NULL) = (currency IS NULL))
) STRICT, WITHOUT ROWID;
