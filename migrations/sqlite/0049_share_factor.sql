-- How the account stood that a reservation is for when it was asked for, in millionths; empty where shares decide nothing.
ALTER TABLE reservations ADD COLUMN share_factor_millionths INTEGER;
