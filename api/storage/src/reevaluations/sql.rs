//! What is expected now of reservations, and how far they were judged.

use crate::statements::statements;

statements! {
    /// What is expected of a reservation now.
    PUT_OUTLOOK = "INSERT INTO outlooks (reservation_id, evaluated_s, document) VALUES ($1, $2, $3)
        ON CONFLICT (reservation_id) DO UPDATE SET evaluated_s = excluded.evaluated_s,
            document = excluded.document";

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

/// Outlooks of reservations.
pub const OUTLOOKS_WHERE: &str =
    "SELECT reservation_id, evaluated_s, document FROM outlooks WHERE reservation_id IN (";
