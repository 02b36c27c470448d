//! Power states of nodes.

use crate::statements::statements;

/// The names of nodes, found one after another by the key: states are very many and nodes few.
macro_rules! names {
    () => {
        "WITH RECURSIVE names (node) AS (
            SELECT MIN(node) FROM node_power_states
            UNION ALL
            SELECT (SELECT MIN(l.node) FROM node_power_states AS l WHERE l.node > names.node) FROM names
            WHERE names.node IS NOT NULL) "
    };
}
pub(crate) use names;

/// Of each node its newest state, of those that conditions leave which follow.
macro_rules! newest {
    () => {
        concat!(
            names!(),
            "SELECT s.node, s.since_s, s.state FROM names CROSS JOIN node_power_states AS s
            WHERE s.node = names.node AND s.since_s = (
                SELECT MAX(l.since_s) FROM node_power_states AS l WHERE l.node = names.node"
        )
    };
}

statements! {
    /// What was noted last of each node.
    NEWEST_POWER_STATES = concat!(newest!(), ") ORDER BY 1");

    /// What held in a window: what began in it, and of each node the newest before.
    POWER_STATES_DURING = concat!(newest!(), " AND l.since_s <= $1)
        UNION ALL
        SELECT node, since_s, state FROM node_power_states WHERE since_s > $1 AND since_s < $2
        ORDER BY 1, 2");
}

/// New states; [`POWER_STATES_BULK_END`] follows the rows.
pub const POWER_STATES_BULK: &str = "INSERT INTO node_power_states (node, since_s, state) ";

/// Of two in the same second the later one holds.
pub const POWER_STATES_BULK_END: &str =
    " ON CONFLICT (node, since_s) DO UPDATE SET state = excluded.state";
