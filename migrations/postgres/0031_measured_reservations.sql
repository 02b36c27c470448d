-- For what was measured of each reservation, all of its rows are added up.
CREATE INDEX ledger_rows_by_reservation ON ledger_rows (reservation_id);
