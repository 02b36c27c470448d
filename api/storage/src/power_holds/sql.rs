//! Nodes that are not switched off until an instant.

use crate::statements::statements;

statements! {
    /// Those in force at an instant, by node.
    POWER_HOLDS = "SELECT node, until_s, by_name, created_s FROM power_holds WHERE until_s > $1 ORDER BY node";

    /// Forgets those that were over at an instant.
    FORGET_POWER_HOLDS = "DELETE FROM power_holds WHERE until_s <= $1";
}

/// New ones; [`POWER_HOLDS_BULK_END`] follows the rows.
pub const POWER_HOLDS_BULK: &str = "INSERT INTO power_holds (node, until_s, by_name, created_s) ";

/// What was said last holds.
pub const POWER_HOLDS_BULK_END: &str = " ON CONFLICT (node) DO UPDATE SET
    until_s = excluded.until_s, by_name = excluded.by_name, created_s = excluded.created_s";

/// Releases nodes, whose names follow.
pub const RELEASE_POWER_HOLDS_WHERE: &str = "DELETE FROM power_holds WHERE node IN (";
