//! What is held that is newer than what somebody has in memory.

use crate::statements::statements;

/// What is read of allocations `a`, their reservations `r` and their offers `o`.
macro_rules! columns {
    () => {
        "a.reservation_id, a.offer_id,
            CASE WHEN r.state = 'proposed' THEN r.expires_s END AS held_until_s,
            a.first_rank, a.end_rank, a.start_s, a.end_s,
            CASE WHEN o.power_state IS NOT NULL THEN o.peak_power_uw END AS slowed_peak_uw"
    };
}

statements! {
    /// What is held in an epoch after an instant. Rows of one offer and span follow each other.
    HOLDINGS = concat!("SELECT ", columns!(), "
        FROM allocations AS a JOIN reservations AS r ON r.id = a.reservation_id
            JOIN offers AS o ON o.id = a.offer_id
        WHERE a.epoch = $1 AND a.end_s > $2
          AND r.state IN ('proposed', 'confirmed', 'active', 'completed')
        ORDER BY a.offer_id, a.start_s, a.first_rank");

    /// Holdings of the reservations that changed after a count, by which SQLite finds them: the join
    /// is crossed so that it begins there, and see [`CHOSEN_LATE`](crate::reservations::sql::CHOSEN_LATE).
    CHANGED_HOLDINGS = concat!("SELECT ", columns!(), "
        FROM reservations AS r CROSS JOIN allocations AS a CROSS JOIN offers AS o
        WHERE a.reservation_id = r.id AND o.id = a.offer_id AND a.epoch = $1 AND a.end_s > $2 AND r.changed > $3
          AND r.state || '' IN ('proposed', 'confirmed', 'active', 'completed')
        ORDER BY a.offer_id, a.start_s, a.first_rank");

    /// Whose the reservations are that hold something in an epoch after an instant.
    HOLDERS = "SELECT id, owner, request FROM reservations
        WHERE state IN ('proposed', 'confirmed', 'active', 'completed')
          AND id IN (SELECT reservation_id FROM allocations WHERE epoch = $1 AND end_s > $2)";

    /// Reservations whose holdings changed after a count, and whose they are.
    CHANGED_RESERVATIONS = "SELECT id, owner, request FROM reservations WHERE changed > $1";
}
