//! When nodes were on, off and on their way, as the resource manager said.

mod repository;
pub(crate) mod row;
pub mod sql;

use planner::resource_manager::NodePower;
use planner::time::Timestamp;

/// Since when a node is on, off or on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePowerState {
    /// The node, by name.
    pub node: String,
    /// When it was first seen so.
    pub since: Timestamp,
    /// What it is.
    pub power: NodePower,
}
