-- CO2 by the accounting that the site does not plan by: what rows emit by it, and the energy for which it is known. A statement
-- says how it is counted, such as "marginal direct"; null where nothing is known of it.
ALTER TABLE ledger_statements ADD COLUMN other_co2_accounting TEXT;
ALTER TABLE ledger_rows ADD COLUMN other_co2_mg BIGINT;
ALTER TABLE ledger_rows ADD COLUMN other_rated_j BIGINT NOT NULL DEFAULT 0;

-- How a time is counted is asked of what counts in it.
CREATE INDEX ledger_statements_by_counted ON ledger_statements (counted_s, other_co2_accounting)
    WHERE other_co2_accounting IS NOT NULL;
