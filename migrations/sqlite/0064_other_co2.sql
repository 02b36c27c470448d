-- CO2 by the accounting that the site does not plan by: what rows emit by it, and the energy for which it is known. A statement
-- says how it is counted, such as "marginal direct"; null where nothing is known of it.
ALTER TABLE ledger_statements ADD COLUMN other_co2_accounting TEXT;
ALTER TABLE ledger_rows ADD COLUMN other_co2_mg INTEGER;
ALTER TABLE ledger_rows ADD COLUMN other_rated_j INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER ledger_rows_refuse_update;

CREATE TRIGGER ledger_rows_refuse_update BEFORE UPDATE OF id, hour_s, number, counted_s, holder, reservation_id, job_id,
    project, application, partition_name, nodes, node_s, missing_s, measured_j, estimated_j, cost_millionths, unpriced_j,
    currency, co2_location_mg, unrated_j, co2_market_mg, quarter1_j, quarter2_j, quarter3_j, quarter4_j, job_raw_id,
    job_submitted_s, other_co2_mg, other_rated_j ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'rows of the ledger are never changed');
END;

-- How a time is counted is asked of what counts in it.
CREATE INDEX ledger_statements_by_counted ON ledger_statements (counted_s, other_co2_accounting)
    WHERE other_co2_accounting IS NOT NULL;
