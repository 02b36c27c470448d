//! What becomes of the nodes' power over a month: a manager switches nodes off in gaps and wakes them in time.
//!
//! The bookings of the month are given, each with the instant at which it became known. [`play`] goes through the month: the
//! manager plans by [`planner::power_plan`] with what is known by then, its orders are followed, and nodes boot as long as
//! they really take, or fail. [`oracle`] plans once with everything known. [`account`] tells what either of them draws.
//!
//! 1. `orders` is what a node does, and the instants at which that changes.
//! 2. `play` goes from instant to instant: bookings that become known, orders that are due, boots that end or fail.
//! 3. `plan` asks the planner; the one place where its problem is made.
//! 4. `replacement` finds another node for a booking whose node is out of service.
//! 5. `account` lays the bookings over what nodes did, to the millisecond and exactly.

mod account;
mod boots;
mod course;
mod orders;
mod plan;
mod play;
mod replacement;

use std::sync::Arc;

use planner::agenda::Agendas;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::power_plan::{CriteriaAmounts, KeepWarm, RankBy, Right, Switching};
use planner::quantity::Power;
use planner::time::{Seconds, Span, Timestamp};

pub use account::{PowerAccount, account, without_manager};
pub use boots::{Boot, BootDraws};
pub use course::{ManagerCounts, NodeActivity, NodeCourse, NodeHold, PlayedPower};
pub use plan::oracle;
pub use play::play;

/// A month with its nodes, its bookings and the rules of the manager.
#[derive(Clone, Debug)]
pub struct PowerMonth {
    /// The time that is played; nodes are on at its start, and are planned to be up at its end.
    pub month: Span,
    /// The nodes.
    pub nodes: Arc<Nodes>,
    /// How each node is switched, by ordinal; `None` where it never is.
    pub switching: Vec<Option<Switching>>,
    /// The bookings, in the order in which they became known.
    pub bookings: Vec<MonthBooking>,
    /// Price, CO2 intensity and power cap as they come true.
    pub agendas: Agendas,
    /// The rules of the manager.
    pub rules: ManagerRules,
    /// How long a node that did not come back is out of service.
    pub repair: Seconds,
}

/// A reservation of the month.
#[derive(Clone, Debug)]
pub struct MonthBooking {
    /// The instant at which it became known.
    pub known_from: Timestamp,
    /// The time that it holds its nodes.
    pub span: Span,
    /// Its nodes, by ordinal.
    pub nodes: NodeSet,
    /// The nodes that may take the place of one of them.
    pub admitted: Arc<NodeSet>,
    /// What each node of the cluster would draw for it, by ordinal.
    pub draws: Arc<[Power]>,
}

/// What the manager is allowed and told.
#[derive(Clone, Debug)]
pub struct ManagerRules {
    /// What may be done to nodes, and when.
    pub rights: Vec<Right>,
    /// How many nodes that nobody has stay up, and among which.
    pub keep_warm: Vec<KeepWarm>,
    /// How often a node may be switched off on a day of UTC.
    pub most_switches_per_day: Option<u32>,
    /// The criteria by which a sleep is judged.
    pub rank_by: RankBy,
    /// What a cycle of switching off and on wears off.
    pub wear: CriteriaAmounts,
}

impl ManagerRules {
    /// Whether any node stays warm.
    fn keeps_warm(&self) -> bool {
        self.keep_warm.iter().any(|rule| rule.nodes > 0)
    }
}
