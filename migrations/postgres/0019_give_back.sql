-- Whether the owner wants the nodes given back some time after the last job of the reservation has ended.
ALTER TABLE reservations ADD COLUMN gives_back BOOLEAN NOT NULL DEFAULT FALSE;
