//! Who holds which nodes when.

use crate::statements::statements;

/// Allocations with what is told of their reservations and offers. SQLite begins with the allocations, as the joins are crossed and
/// the states are no column; among all that ever ended those in question are few.
macro_rules! select_allocations {
    () => {
        "SELECT a.reservation_id, a.offer_id, r.owner, r.state, a.epoch, a.first_rank, a.end_rank,
            a.start_s, a.end_s,
            CASE WHEN o.power_state IS NOT NULL THEN o.peak_power_uw END AS slowed_peak_uw
        FROM allocations AS a CROSS JOIN reservations AS r CROSS JOIN offers AS o
        WHERE r.id = a.reservation_id AND o.id = a.offer_id"
    };
}

/// Rows of one offer and span follow each other. By a column alone SQLite would read all allocations in that order.
macro_rules! by_offer {
    () => {
        " ORDER BY COALESCE(a.offer_id, a.reservation_id), a.start_s, a.first_rank"
    };
}

statements! {
    /// Live allocations in a window, with holds judged at an instant. Rows of one offer and span
    /// follow each other.
    LIVE_ALLOCATIONS = concat!(select_allocations!(), "
          AND a.end_s > $1 AND a.start_s < $2
          AND (r.state || '' IN ('confirmed', 'active', 'completed')
               OR (r.state || '' = 'proposed' AND r.expires_s > $3))", by_offer!());

    /// All allocations of a reservation, in the same order.
    ALLOCATIONS_OF_RESERVATION =
        concat!(select_allocations!(), " AND a.reservation_id = $1", by_offer!());

    /// Allocations that end after an instant, whatever their reservation's state.
    UPCOMING_ALLOCATIONS = concat!(select_allocations!(), " AND a.end_s > $1", by_offer!());

    /// Deletes allocations that start at an instant or later.
    DELETE_ALLOCATIONS_FROM = "DELETE FROM allocations WHERE start_s >= $1";

    /// Ends at an instant what would end later.
    TRUNCATE_ALLOCATIONS = "UPDATE allocations SET end_s = $1 WHERE end_s > $1";

    /// Frees a reservation's nodes.
    DELETE_RESERVATION_ALLOCATIONS = "DELETE FROM allocations WHERE reservation_id = $1";

    /// Frees the nodes of an offer.
    DELETE_OFFER_ALLOCATIONS = "DELETE FROM allocations WHERE offer_id = $1";

    /// Frees the nodes of an offer where they are taken from an instant on.
    DELETE_OFFER_ALLOCATIONS_FROM =
        "DELETE FROM allocations WHERE offer_id = $1 AND start_s >= $2";

    /// Frees the nodes of an offer at an instant.
    TRUNCATE_OFFER_ALLOCATIONS =
        "UPDATE allocations SET end_s = $2 WHERE offer_id = $1 AND end_s > $2";

    /// Keeps the nodes of an offer, which are taken until an instant, until a later one.
    EXTEND_OFFER_ALLOCATIONS =
        "UPDATE allocations SET end_s = $3 WHERE offer_id = $1 AND end_s = $2";

    /// Frees a reservation's nodes where they are taken from an instant on.
    DELETE_RESERVATION_ALLOCATIONS_FROM =
        "DELETE FROM allocations WHERE reservation_id = $1 AND start_s >= $2";

    /// Frees a reservation's nodes at an instant.
    TRUNCATE_RESERVATION_ALLOCATIONS =
        "UPDATE allocations SET end_s = $2 WHERE reservation_id = $1 AND end_s > $2";

    /// Frees the nodes of the offers that were not chosen.
    DELETE_OTHER_OFFERS_ALLOCATIONS =
        "DELETE FROM allocations WHERE reservation_id = $1 AND offer_id <> $2";

    /// Frees the nodes of holds that are due at an instant.
    DELETE_ALLOCATIONS_OF_DUE_HOLDS = "DELETE FROM allocations WHERE reservation_id IN
        (SELECT id FROM reservations WHERE state = 'proposed' AND expires_s <= $1)";
}

/// Allocations.
pub const ALLOCATIONS_BULK: &str = "INSERT INTO allocations
    (reservation_id, offer_id, epoch, first_rank, end_rank, start_s, end_s) ";

/// Frees the nodes of the offers of reservations.
pub const DELETE_ALLOCATIONS_WHERE: &str = "DELETE FROM allocations WHERE reservation_id";

/// But those of these offers.
pub const BUT_OFFERS: &str = " AND NOT (offer_id";
