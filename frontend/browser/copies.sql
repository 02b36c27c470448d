-- Copies the reservations in SQLite's database of a demonstration, as many as `wanted` says, each copy on nodes of its own, so
-- that the page is measured on more reservations than are booked in an hour (many.ts). Nodes are called n0, n1 and so on.

-- Reservations on nodes that are next to each other.
CREATE TEMP TABLE booked AS
    SELECT reservation_id, offer_id, min(first_rank) AS first_rank, max(end_rank) AS end_rank, max(max(end_rank)) OVER () AS width
    FROM allocations GROUP BY reservation_id, offer_id HAVING count(*) = 1;

CREATE TEMP TABLE copies AS
    WITH RECURSIVE turn (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM turn WHERE number < 1000)
    SELECT reservation_id, offer_id, randomblob(16) AS new_reservation, randomblob(16) AS new_offer,
           first_rank + number * width AS first_rank, end_rank + number * width AS end_rank
    FROM turn, booked ORDER BY number LIMIT (SELECT more FROM wanted);

-- In the order of `copies`, so that rows have its numbers.
CREATE TEMP TABLE new_reservations AS
    SELECT it.* FROM copies JOIN reservations AS it ON it.id = copies.reservation_id ORDER BY copies.rowid;
UPDATE new_reservations SET (id, chosen_offer_id) =
    (SELECT new_reservation, new_offer FROM copies WHERE copies.rowid = new_reservations.rowid);
INSERT INTO reservations SELECT * FROM new_reservations;

CREATE TEMP TABLE new_offers AS
    SELECT it.* FROM copies JOIN offers AS it ON it.id = copies.offer_id ORDER BY copies.rowid;
UPDATE new_offers SET (id, reservation_id, node_names, node_ranges) = (
    WITH RECURSIVE node (rank, end_rank) AS (
        SELECT first_rank, end_rank FROM copies WHERE copies.rowid = new_offers.rowid
        UNION ALL SELECT rank + 1, end_rank FROM node WHERE rank + 1 < end_rank)
    SELECT new_offer, new_reservation, (SELECT group_concat('n' || rank, char(9)) FROM node),
           first_rank || '-' || (end_rank - 1)
    FROM copies WHERE copies.rowid = new_offers.rowid);
INSERT INTO offers SELECT * FROM new_offers;

INSERT INTO allocations (reservation_id, offer_id, epoch, first_rank, end_rank, start_s, end_s)
    SELECT new_reservation, new_offer, it.epoch, copies.first_rank, copies.end_rank, it.start_s, it.end_s
    FROM copies JOIN allocations AS it ON it.offer_id = copies.offer_id;
UPDATE book SET changes = changes + 1, version = version + 1;
