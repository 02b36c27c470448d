//! Power actions.

use crate::statements::statements;

/// What is read of power actions.
macro_rules! power_action_columns {
    () => {
        "id, node, action, reservation_id, state, because, created_s, ordered_s, done_s, asked_by, since_s,
         orders, due_s, until_s, wake_s, saves_energy_uj_thousandths, saves_cost_exact_thousandths,
         saves_co2_exact_thousandths, decided_by, decided_s, limit_uw, former_limit_uw, row_version"
    };
}
pub(crate) use power_action_columns;

/// The states that are not final.
macro_rules! open_states {
    () => {
        "('proposed', 'waiting', 'ordered', 'failed')"
    };
}

statements! {
    /// Those that are not final, oldest first.
    OPEN_POWER_ACTIONS = concat!("SELECT ", power_action_columns!(), "
        FROM power_actions WHERE state IN ", open_states!(), " ORDER BY id");

    /// Of each node the newest that limited its power, or lifted the limit: those that were ordered, and lifts whatever became
    /// of them.
    NEWEST_LIMITS = concat!("SELECT ", power_action_columns!(), " FROM power_actions AS a
        WHERE action IN ('limit', 'lift') AND id = (SELECT MAX(id) FROM power_actions AS b
            WHERE b.node = a.node AND b.action IN ('limit', 'lift')
              AND (b.action = 'lift' OR b.ordered_s IS NOT NULL))");

    /// The nodes whose power was to be limited for a reservation, whatever came of it.
    NODES_LIMITED = "SELECT DISTINCT node FROM power_actions WHERE reservation_id = $1 AND action = 'limit'";

    /// One of them.
    POWER_ACTION = concat!("SELECT ", power_action_columns!(), " FROM power_actions WHERE id = $1");
}

/// Power actions before an id; other conditions follow.
pub const POWER_ACTIONS_WHERE: &str =
    concat!("SELECT ", power_action_columns!(), " FROM power_actions WHERE id < ");

/// Only those that are not final.
pub const AND_OPEN: &str = concat!(" AND state IN ", open_states!());

/// Only those that are final.
pub const AND_FINAL: &str = concat!(" AND state NOT IN ", open_states!());

/// Power actions; [`POWER_ACTIONS_BULK_END`] follows the rows.
pub const POWER_ACTIONS_BULK: &str =
    "INSERT INTO power_actions (node, action, reservation_id, state, because, created_s, asked_by,
        since_s, orders, due_s, until_s, wake_s, saves_energy_uj_thousandths, saves_cost_exact_thousandths,
        saves_co2_exact_thousandths, limit_uw) ";

/// What is open already stays as it is. What is new.
pub const POWER_ACTIONS_BULK_END: &str =
    concat!(" ON CONFLICT DO NOTHING RETURNING ", power_action_columns!());

/// Power actions as they are now, in the order of the columns that are set, after their ids and the versions that were
/// read; [`PUT_POWER_ACTIONS_END`] follows the rows.
pub const PUT_POWER_ACTIONS: &str = "UPDATE power_actions SET
        state = given.column3, because = given.column4, since_s = given.column5, orders = given.column6,
        due_s = given.column7, until_s = given.column8, wake_s = given.column9,
        saves_energy_uj_thousandths = given.column10, saves_cost_exact_thousandths = given.column11,
        saves_co2_exact_thousandths = given.column12, ordered_s = given.column13, done_s = given.column14,
        decided_by = given.column15, decided_s = given.column16, former_limit_uw = given.column17,
        row_version = power_actions.row_version + 1
    FROM (";

/// Those that nobody else wrote since they were read, each with the owner of its reservation.
pub const PUT_POWER_ACTIONS_END: &str = ") AS given
    WHERE power_actions.id = given.column1 AND power_actions.row_version = given.column2
    RETURNING power_actions.id,
        (SELECT r.owner FROM reservations AS r WHERE r.id = power_actions.reservation_id) AS owner";

/// Forgets those of these ids that have yet to be ordered.
pub const FORGET_POWER_ACTIONS_WHERE: &str =
    "DELETE FROM power_actions WHERE state = 'waiting' AND id IN (";

/// The nodes that were ordered for several reservations.
pub const NODES_ORDERED_WHERE: &str = "SELECT DISTINCT reservation_id, node FROM power_actions
    WHERE ordered_s IS NOT NULL AND action = 'power_up' AND reservation_id IN (";

/// How long nodes took to come, newest first; [`BOOT_TIMES_WHERE_END`] follows their names.
pub const BOOT_TIMES_WHERE: &str = "SELECT node, taken_s FROM (
        SELECT node, done_s - ordered_s AS taken_s,
            ROW_NUMBER() OVER (PARTITION BY node ORDER BY done_s DESC, id DESC) AS newest
        FROM power_actions
        WHERE action = 'power_up' AND state = 'done' AND ordered_s IS NOT NULL AND node IN (";

/// The 20 newest of each node.
pub const BOOT_TIMES_WHERE_END: &str = ")) AS measured WHERE newest <= 20 ORDER BY node, newest";

/// How often nodes were ordered off from one instant to before another; the instants and the nodes' names follow, and then
/// [`SWITCHED_OFF_WHERE_END`].
pub const SWITCHED_OFF_WHERE: &str =
    "SELECT node, COUNT(*) FROM power_actions WHERE action = 'power_down' AND ordered_s >= ";

/// Each node is counted alone.
pub const SWITCHED_OFF_WHERE_END: &str = ") GROUP BY node";
