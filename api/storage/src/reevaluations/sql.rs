//! What is expected now of reservations, and how far they were judged.

use crate::statements::statements;

statements! {
    /// When a reservation was judged.
    PUT_JUDGEMENT = "INSERT INTO outlooks (reservation_id, evaluated_s) VALUES ($1, $2)
        ON CONFLICT (reservation_id) DO UPDATE SET evaluated_s = excluded.evaluated_s";

    /// Forgets what was expected of a reservation's offers.
    DELETE_EXPECTED_OFFERS = "DELETE FROM expected_offers WHERE reservation_id = $1";

    /// What is expected of an offer now.
    INSERT_EXPECTED_OFFER = "INSERT INTO expected_offers
        (reservation_id, position, offer_id, cost_exact, currency, co2_exact, cap_kept)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";

    /// Up to which revision of agendas reservations were judged, and the newest there is.
    JUDGED = "SELECT revision_id AS judged,
            (SELECT COALESCE(MAX(id), 0) FROM agenda_revisions) AS newest
        FROM judged_agendas WHERE id = 1";

    /// From when to when revisions of agendas, after one and up to another, speak of what has yet to
    /// end at an instant.
    REVISED_SPAN = "SELECT MIN(span_start_s) AS start_s, MAX(span_end_s) AS end_s
        FROM agenda_revisions WHERE id > $1 AND id <= $2 AND span_end_s > $3";

    /// The first revision of power caps: from then on the site has a cap.
    FIRST_CAP = "SELECT id FROM agenda_revisions WHERE quantity = 'power_cap'
        ORDER BY received_s, id LIMIT 1";

    /// Reservations were judged up to a revision.
    PUT_JUDGED = "UPDATE judged_agendas SET revision_id = $1 WHERE id = 1 AND revision_id < $1";
}

/// What is expected of reservations: a row for each of their offers, or one without an offer.
pub const EXPECTED_WHERE: &str = "SELECT o.reservation_id, o.evaluated_s, e.offer_id, e.cost_exact,
        e.currency, e.co2_exact, e.cap_kept
    FROM outlooks AS o LEFT JOIN expected_offers AS e ON e.reservation_id = o.reservation_id
    WHERE o.reservation_id IN (";
