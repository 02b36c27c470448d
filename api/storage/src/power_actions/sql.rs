//! Power actions.

use crate::statements::statements;

statements! {
    /// Those that are neither done nor failed, oldest first.
    OPEN_POWER_ACTIONS = "SELECT id, node, action, reservation_id, state, because, created_s, ordered_s,
            done_s
        FROM power_actions WHERE state IN ('waiting', 'ordered') ORDER BY id";

    /// How far one is now, if it is in another state, or for another reason; whose reservation it is for.
    PUT_POWER_ACTION = "UPDATE power_actions SET state = $2, because = $3, ordered_s = $4, done_s = $5
        WHERE id = $1 AND (state <> $2 OR COALESCE(because, '') <> COALESCE($3, ''))
        RETURNING (SELECT r.owner FROM reservations AS r WHERE r.id = power_actions.reservation_id)";
}

/// Power actions; [`POWER_ACTIONS_BULK_END`] follows the rows.
pub const POWER_ACTIONS_BULK: &str =
    "INSERT INTO power_actions (node, action, reservation_id, state, created_s) ";

/// What is underway already stays as it is.
pub const POWER_ACTIONS_BULK_END: &str = " ON CONFLICT (reservation_id, node, action)
    WHERE state IN ('waiting', 'ordered') DO NOTHING";

/// Forgets those of these ids that have yet to be ordered.
pub const FORGET_POWER_ACTIONS_WHERE: &str =
    "DELETE FROM power_actions WHERE state = 'waiting' AND id IN (";

/// The nodes that were ordered for several reservations.
pub const NODES_ORDERED_WHERE: &str = "SELECT DISTINCT reservation_id, node FROM power_actions
    WHERE ordered_s IS NOT NULL AND reservation_id IN (";

/// How long nodes took to come, newest first; [`BOOT_TIMES_WHERE_END`] follows their names.
pub const BOOT_TIMES_WHERE: &str = "SELECT node, taken_s FROM (
        SELECT node, done_s - ordered_s AS taken_s,
            ROW_NUMBER() OVER (PARTITION BY node ORDER BY done_s DESC, id DESC) AS newest
        FROM power_actions
        WHERE action = 'power_up' AND state = 'done' AND node IN (";

/// The 20 newest of each node.
pub const BOOT_TIMES_WHERE_END: &str = ")) AS measured WHERE newest <= 20 ORDER BY node, newest";
