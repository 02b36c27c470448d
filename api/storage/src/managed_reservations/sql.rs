//! How reservations stand in the resource manager.

use crate::statements::statements;

/// What is read of managed reservations `m`.
macro_rules! columns {
    () => {
        "m.reservation_id, m.name, m.state, m.because, m.pushed, m.pushed_row_version, \
         m.drift, m.changed_s, m.attempts, m.next_attempt_s, m.idle_since_s, m.used_node_seconds"
    };
}

statements! {
    /// Those that are not settled for good: what is lost is once its reservation has ended.
    OPEN_MANAGED_RESERVATIONS = concat!("SELECT ", columns!(), "
        FROM managed_reservations AS m JOIN reservations AS r ON r.id = m.reservation_id
        WHERE m.state <> 'removed' AND (m.state <> 'lost' OR r.state IN ('confirmed', 'active'))
        ORDER BY m.reservation_id");

    /// Reservations that were chosen, end after an instant, and are not in the outbox; each with its owner.
    UNMANAGED_RESERVATIONS = "SELECT r.id, r.owner FROM reservations AS r
        WHERE r.state IN ('confirmed', 'active') AND r.end_s > $1
          AND NOT EXISTS (SELECT 1 FROM managed_reservations AS m WHERE m.reservation_id = r.id)
        ORDER BY r.id";

    /// How one stands now, whether or not it was known.
    PUT_MANAGED_RESERVATION = "INSERT INTO managed_reservations (reservation_id, name, state, because,
            pushed, pushed_row_version, drift, changed_s, attempts, next_attempt_s, idle_since_s,
            used_node_seconds)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (reservation_id) DO UPDATE SET state = excluded.state,
            because = excluded.because, pushed = excluded.pushed,
            pushed_row_version = excluded.pushed_row_version, drift = excluded.drift,
            changed_s = excluded.changed_s, attempts = excluded.attempts,
            next_attempt_s = excluded.next_attempt_s, idle_since_s = excluded.idle_since_s,
            used_node_seconds = excluded.used_node_seconds";

    /// Those in which jobs may have run unseen, with what had been pushed then.
    UNSEEN_JOBS = "SELECT reservation_id, name, jobs_unseen FROM managed_reservations
        WHERE jobs_unseen IS NOT NULL ORDER BY reservation_id LIMIT $1";

    /// The accounting was asked for the jobs of one.
    FORGET_UNSEEN_JOBS = "UPDATE managed_reservations SET jobs_unseen = NULL WHERE reservation_id = $1";

    /// Whose a reservation is.
    OWNER_OF_RESERVATION = "SELECT owner FROM reservations WHERE id = $1";
}

/// How reservations stand in the resource manager, by their ids.
pub const MANAGED_RESERVATIONS_WHERE: &str =
    concat!("SELECT ", columns!(), " FROM managed_reservations AS m WHERE m.reservation_id IN (");

/// In those that were pushed jobs may have run unseen; their ids follow.
pub const NOTE_UNSEEN_JOBS: &str = "UPDATE managed_reservations SET jobs_unseen = pushed
    WHERE pushed IS NOT NULL AND reservation_id IN (";

/// Reservations that are to be made; [`MANAGED_RESERVATIONS_BULK_END`] follows the rows.
pub const MANAGED_RESERVATIONS_BULK: &str = "INSERT INTO managed_reservations
    (reservation_id, name, state, changed_s) ";

/// Those that are in the outbox stay as they are. The ids of the others.
pub const MANAGED_RESERVATIONS_BULK_END: &str =
    " ON CONFLICT (reservation_id) DO NOTHING RETURNING reservation_id";
