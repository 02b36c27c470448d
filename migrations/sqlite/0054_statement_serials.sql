-- Statements of the ledger are counted, in the order in which they were committed: whoever keeps in memory what was stated
-- reads what is new. Those that were there before have the number 0.
ALTER TABLE ledger_statements ADD COLUMN serial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_marks ADD COLUMN statements INTEGER NOT NULL DEFAULT 0;

CREATE INDEX ledger_statements_by_serial ON ledger_statements (serial);
