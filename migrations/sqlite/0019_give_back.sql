-- Whether the owner wants the nodes given back some time after the last job of the reservation has ended.
ALTER TABLE reservations ADD COLUMN gives_back INTEGER NOT NULL DEFAULT 0 CHECK (gives_back IN (0, 1));
