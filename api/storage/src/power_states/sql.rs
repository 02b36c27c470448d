//! Power states of nodes.

use crate::statements::statements;

statements! {
    /// What was noted last of each node.
    NEWEST_POWER_STATES = "SELECT node, since_s, state FROM node_power_states AS s
        WHERE since_s = (SELECT MAX(l.since_s) FROM node_power_states AS l WHERE l.node = s.node)
        ORDER BY node";

    /// What held in a window: what began in it, and of each node the newest before.
    POWER_STATES_DURING = "SELECT node, since_s, state FROM node_power_states AS s
        WHERE since_s < $2 AND (since_s > $1 OR since_s = (
            SELECT MAX(l.since_s) FROM node_power_states AS l
            WHERE l.node = s.node AND l.since_s <= $1))
        ORDER BY node, since_s";
}

/// New states; [`POWER_STATES_BULK_END`] follows the rows.
pub const POWER_STATES_BULK: &str = "INSERT INTO node_power_states (node, since_s, state) ";

/// Of two in the same second the later one holds.
pub const POWER_STATES_BULK_END: &str =
    " ON CONFLICT (node, since_s) DO UPDATE SET state = excluded.state";
