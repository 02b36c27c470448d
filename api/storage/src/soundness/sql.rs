//! What must hold of the book.

use crate::statements::statements;

statements! {
    /// Which nodes the chosen offers have when, by start.
    CHOSEN_SPANS = "SELECT a.epoch, a.first_rank, a.end_rank, a.start_s, a.end_s, a.reservation_id
        FROM allocations AS a JOIN reservations AS r ON r.id = a.reservation_id AND r.chosen_offer_id = a.offer_id
        WHERE r.state IN ('confirmed', 'active', 'completed')
        ORDER BY a.epoch, a.start_s, a.first_rank";

    /// Reservations that hold nodes and have none: what failed, and was not replaced, is told by itself.
    WITHOUT_NODES = "SELECT r.id FROM reservations AS r
        WHERE r.state IN ('confirmed', 'active') AND NOT r.degraded
          AND NOT EXISTS (SELECT 1 FROM allocations AS a
            WHERE a.reservation_id = r.id AND a.offer_id = r.chosen_offer_id)
        ORDER BY r.id";

    /// How many reservations there are.
    COUNT_RESERVATIONS = "SELECT COUNT(*) FROM reservations";
}
