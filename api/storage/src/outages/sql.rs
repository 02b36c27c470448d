//! Outages.

use crate::statements::statements;

statements! {
    /// A new outage.
    INSERT_OUTAGE = "INSERT INTO outages
        (id, owner, reason, created_s, epoch, start_s, end_s, ranks)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// One outage.
    OUTAGE = "SELECT id, owner, reason, created_s, epoch, start_s, end_s, ranks
        FROM outages WHERE id = $1";

    /// Outages that have yet to end at an instant, by start.
    UPCOMING_OUTAGES = "SELECT id, owner, reason, created_s, epoch, start_s, end_s, ranks
        FROM outages WHERE end_s IS NULL OR end_s > $1 ORDER BY start_s, id";

    /// Ends an outage at an instant.
    END_OUTAGE = "UPDATE outages SET end_s = $2 WHERE id = $1";

    /// Takes an outage back that has yet to start.
    DELETE_OUTAGE = "DELETE FROM outages WHERE id = $1";

    /// Says an outage in the ranks of another epoch.
    MOVE_OUTAGE = "UPDATE outages SET epoch = $2, ranks = $3 WHERE id = $1";
}
