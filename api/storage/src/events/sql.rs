//! Events.

use crate::statements::statements;

statements! {
    /// Events after one, at most so many.
    EVENTS_AFTER = "SELECT id, at_s, kind, owner, data FROM events
        WHERE id > $1 ORDER BY id LIMIT $2";

    /// Events of a user's reservations since an instant, the newest first, at most so many.
    RESERVATION_EVENTS_OF = "SELECT id, at_s, kind, owner, data FROM events
        WHERE owner = $1 AND at_s >= $2 AND kind LIKE 'reservation.%' ORDER BY id DESC LIMIT $3";

    /// Events of a user's reservations after one, at most so many.
    RESERVATION_EVENTS_AFTER = "SELECT id, at_s, kind, owner, data FROM events
        WHERE owner = $1 AND id > $2 AND kind LIKE 'reservation.%' ORDER BY id LIMIT $3";

    /// The oldest and the newest.
    EVENTS_KEPT = "SELECT (SELECT MIN(id) FROM events) AS oldest, (SELECT MAX(id) FROM events) AS newest";

    /// Deletes, of the $3 oldest, those from before an instant and those up to an id, but never the
    /// newest of all.
    FORGET_EVENTS = "DELETE FROM events
        WHERE id IN (SELECT id FROM events ORDER BY id LIMIT $3)
          AND (at_s < $1 OR id <= $2) AND id < (SELECT MAX(id) FROM events)";
}

/// Events.
pub const EVENTS_BULK: &str = "INSERT INTO events (at_s, kind, owner, data) ";

/// Users with whom reservations are shared by their names; the ids of the reservations follow.
pub const RECEIVING_USERS: &str = "SELECT reservation_id, name FROM shared_reservations
    WHERE NOT is_project AND reservation_id";

/// And users of the projects that the site keeps and that reservations are shared with; the ids follow again.
pub const RECEIVING_MEMBERS: &str =
    " UNION SELECT s.reservation_id, m.user_name FROM shared_reservations AS s
    JOIN project_members AS m ON m.project = s.name WHERE s.is_project AND s.reservation_id";
