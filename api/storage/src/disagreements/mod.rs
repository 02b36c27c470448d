//! Sources of one quantity that disagree, for as long as they do.

mod repository;
pub mod sql;

use planner::time::Timestamp;

use crate::agendas::Quantity;

/// Sources of a quantity disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDisagreement {
    /// The quantity.
    pub quantity: Quantity,
    /// When that was told.
    pub since: Timestamp,
    /// Where they disagree, as whoever composes the agenda wrote it down.
    pub found: String,
}
