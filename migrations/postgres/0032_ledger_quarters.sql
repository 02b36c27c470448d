-- Joules of a row by quarter-hour of its hour, measured and estimated; they sum to it. Null in rows that were stated
-- before: they count as drawn evenly.
ALTER TABLE ledger_rows ADD COLUMN quarter1_j BIGINT;
ALTER TABLE ledger_rows ADD COLUMN quarter2_j BIGINT;
ALTER TABLE ledger_rows ADD COLUMN quarter3_j BIGINT;
ALTER TABLE ledger_rows ADD COLUMN quarter4_j BIGINT;
