//! The resource manager's nodes.

use crate::statements::statements;

statements! {
    /// All that are remembered.
    MANAGED_NODES = "SELECT name, address, cpus, memory_mib, generic_resources, gone_s
        FROM managed_nodes";

    /// Forgets those that were gone before an instant.
    FORGET_MANAGED_NODES = "DELETE FROM managed_nodes WHERE gone_s < $1";
}

/// Nodes; [`MANAGED_NODES_BULK_END`] follows the rows.
pub const MANAGED_NODES_BULK: &str =
    "INSERT INTO managed_nodes (name, address, cpus, memory_mib, generic_resources, gone_s) ";

/// Those that are known are as they are told now.
pub const MANAGED_NODES_BULK_END: &str = " ON CONFLICT (name) DO UPDATE SET
    address = excluded.address, cpus = excluded.cpus, memory_mib = excluded.memory_mib,
    generic_resources = excluded.generic_resources, gone_s = excluded.gone_s";

/// Those of several names that are there.
pub const MANAGED_NODES_WHERE: &str =
    "SELECT name, address, cpus, memory_mib, generic_resources, gone_s
    FROM managed_nodes WHERE gone_s IS NULL AND name IN (";
