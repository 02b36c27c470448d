//! Outages: nodes that cannot be taken though nobody reserved them, by operators' word or because the
//! resource manager withholds them.

mod change;
pub(crate) mod repository;
mod row;
pub mod sql;
mod withheld;

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::{Span, Timestamp};

use crate::identity::EpochId;
use crate::words::worded;

pub use change::{ChangeOutageError, FieldChange, OutageChange};
pub use withheld::{Withheld, WithheldCounts};

/// The owner of outages that the resource manager tells of.
const RESOURCE_MANAGER: &str = "slurm";

worded! {
    /// Why nodes cannot be taken.
    OutageKind {
        /// They are down, drained or in maintenance.
        OutOfService = "out_of_service",
        /// The resource manager runs other people's jobs on them, or reserved them for others.
        Occupied = "occupied",
    }
}

/// Nodes that are down, in maintenance, or occupied by what the resource manager runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The outage's id.
    pub id: OutageId,
    /// Why the nodes cannot be taken.
    pub kind: OutageKind,
    /// What the resource manager withholds the nodes for, such as `job 123`; `None` where an operator
    /// took them out of service.
    pub managed_key: Option<String>,
    /// Who said so; `slurm` where the resource manager did.
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
