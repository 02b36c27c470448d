//! Outages: nodes that cannot be taken though nobody reserved them.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::{Span, Timestamp};

use crate::identity::EpochId;

/// Nodes that are down or in maintenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The outage's id.
    pub id: OutageId,
    /// Who said so.
    pub owner: String,
    /// In words, for people.
    pub reason: String,
    /// When it was said.
    pub created: Timestamp,
    /// The epoch whose ranks these are.
    pub epoch: EpochId,
    /// When it begins.
    pub start: Timestamp,
    /// When it ends; `None` where that is not known.
    pub end: Option<Timestamp>,
    /// The nodes, as ranks in the epoch's draw order.
    pub ranks: NodeSet,
}

impl Outage {
    /// When; without an end until the end of time. `None` only for spans that were written wrongly.
    pub fn span(&self) -> Option<Span> {
        Span::new(self.start, self.end.unwrap_or(Timestamp::MAX))
    }
}
