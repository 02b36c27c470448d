//! Nodes that are not switched off until an instant, since somebody said so.

mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

/// A node that is not switched off until an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerHold {
    /// The node, by name.
    pub node: String,
    /// From then on it may be switched off again.
    pub until: Timestamp,
    /// Who said so.
    pub by: String,
    /// When it was said.
    pub created: Timestamp,
}
