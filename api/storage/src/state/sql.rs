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
    /// What is held in an epoch after an instant, found by its end, since what has ended is the most. Rows of one offer and span
    /// follow each other.
    HOLDINGS = concat!("SELECT ", columns!(), "
        FROM allocations AS a CROSS JOIN reservations AS r CROSS JOIN offers AS o
        WHERE r.id = a.reservation_id AND o.id = a.offer_id AND a.epoch = $1 AND a.end_s > $2
          AND r.state || '' IN ('proposed', 'confirmed', 'active', 'completed')
        ORDER BY COALESCE(a.offer_id, a.reservation_id), a.start_s, a.first_rank");

    /// Whose the reservations are that hold something in an epoch after an instant.
    HOLDERS = "SELECT id, owner, request FROM reservations
        WHERE state || '' IN ('proposed', 'confirmed', 'active', 'completed')
          AND id IN (SELECT reservation_id FROM allocations WHERE epoch = $1 AND end_s > $2)";

    /// Reservations whose holdings changed after a count, and whose they are.
    CHANGED_RESERVATIONS = "SELECT id, owner, request FROM reservations WHERE changed > $1";
}

/// Holdings of these reservations in an epoch after an instant. Both engines find them by the reservations, which are few: the joins
/// are crossed, so that SQLite begins there, and what else is compared is no column, so that neither goes by an index of that.
pub const HOLDINGS_OF_WHERE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM allocations AS a CROSS JOIN reservations AS r CROSS JOIN offers AS o
        WHERE r.id = a.reservation_id AND o.id = a.offer_id
          AND r.state || '' IN ('proposed', 'confirmed', 'active', 'completed') AND a.reservation_id"
);
/// Then the epoch.
pub const HOLDINGS_OF_IN_EPOCH: &str = " AND 0 + a.epoch = ";
/// Then the instant after which they end.
pub const HOLDINGS_OF_AFTER: &str = " AND 0 + a.end_s > ";
/// Rows of one offer and span follow each other.
pub const HOLDINGS_OF_ORDER: &str = " ORDER BY a.offer_id, a.start_s, a.first_rank";
