-- The offer of a decision that gives up least of what is best; it need not win a ranking.
ALTER TABLE offers ADD COLUMN is_compromise INTEGER NOT NULL DEFAULT 0 CHECK (is_compromise IN (0, 1));
