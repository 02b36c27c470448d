//! Reservations and their offers. What changes what is held notes the count of changes with it.

use super::statements;

statements! {
    /// A new reservation.
    INSERT_RESERVATION = "INSERT INTO reservations
        (id, owner, state, request, created_s, expires_s, document, changed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT changes FROM book WHERE id = 1))";

    /// A new offer.
    INSERT_OFFER = "INSERT INTO offers
        (id, reservation_id, start_s, end_s, position, document, rankings)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";

    /// One reservation.
    RESERVATION = "SELECT id, owner, state, degraded, request, created_s, expires_s,
            chosen_offer_id, start_s, end_s, document, row_version
        FROM reservations WHERE id = $1";

    /// The offers of a reservation in their order.
    OFFERS_OF_RESERVATION = "SELECT id, reservation_id, start_s, end_s, document, rankings
        FROM offers WHERE reservation_id = $1 ORDER BY position";

    /// Confirms a reservation: the chosen offer and its span.
    CONFIRM = "UPDATE reservations SET state = 'confirmed', chosen_offer_id = $2, start_s = $3,
            end_s = $4, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Makes a reservation that waited proposed, its offers held until an instant.
    PROPOSE_AWAITING = "UPDATE reservations
        SET state = 'proposed', expires_s = $2, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Ends a reservation in a state.
    END = "UPDATE reservations SET state = $2, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Whether what was promised no longer holds.
    SET_DEGRADED = "UPDATE reservations SET degraded = $2, row_version = row_version + 1
        WHERE id = $1 AND degraded <> $2";

    /// Expires the holds that are due at an instant.
    EXPIRE_DUE = "UPDATE reservations SET state = 'expired', row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE state = 'proposed' AND expires_s <= $1 RETURNING id";

    /// Completes what has ended at an instant.
    COMPLETE_DUE = "UPDATE reservations SET state = 'completed', row_version = row_version + 1
        WHERE state IN ('confirmed', 'active') AND end_s <= $1 RETURNING id";

    /// Starts what is due at an instant.
    ACTIVATE_DUE = "UPDATE reservations SET state = 'active', row_version = row_version + 1
        WHERE state = 'confirmed' AND start_s <= $1 RETURNING id";

    /// Whether anything is due at an instant.
    ANY_DUE = "SELECT EXISTS (SELECT 1 FROM reservations
            WHERE state = 'proposed' AND expires_s <= $1)
        OR EXISTS (SELECT 1 FROM reservations
            WHERE state IN ('confirmed', 'active') AND end_s <= $1)
        OR EXISTS (SELECT 1 FROM reservations WHERE state = 'confirmed' AND start_s <= $1)";
}

/// Reservations that pass a filter.
pub const RESERVATIONS_WHERE: &str = "SELECT r.id, r.owner, r.state, r.degraded, r.request,
        r.created_s, r.expires_s, r.chosen_offer_id, r.start_s, r.end_s, r.document, r.row_version
    FROM reservations AS r WHERE 1 = 1";

/// Offers of several reservations.
pub const OFFERS_WHERE: &str = "SELECT id, reservation_id, start_s, end_s, document, rankings
    FROM offers WHERE reservation_id IN (";
