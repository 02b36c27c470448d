//! What was decided and done about the power of nodes.

/// Entries that meet conditions, which follow.
pub const POWER_LOG_WHERE: &str =
    "SELECT id, at_s, node, action_id, what, by_name, because FROM power_log WHERE id < ";

/// New entries.
pub const POWER_LOG_BULK: &str =
    "INSERT INTO power_log (at_s, node, action_id, what, by_name, because) ";
