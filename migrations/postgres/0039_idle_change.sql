-- What an offer changes of what nodes consume that nobody has, exactly; null where the site does not count it.
ALTER TABLE offers ADD COLUMN idle_energy_uj TEXT;
ALTER TABLE offers ADD COLUMN idle_cost_exact TEXT;
ALTER TABLE offers ADD COLUMN idle_co2_exact TEXT;
