//! Which node sleeps when: power actions from known gaps.
//!
//! A node sleeps at most once in a gap between its reservations and outages. What a sleep saves is what the node would draw
//! idle, less what switching and being off draw, each as an integral over price and CO2 intensity where and when it is drawn;
//! and less what a cycle costs in wear and in the risk that the node does not come back. The site ranks the criteria: sleeps
//! whose savings are lexicographically above nothing are planned, each at the instants at which it saves most.
//!
//! 1. `gaps` are what reservations and outages leave, up to the horizon, where every node that was on is to be up.
//! 2. `wakings` finds when nodes are woken that are off at the start; `begun` says by when they have to be.
//! 3. `kind` finds the best sleep of each gap, exactly, where `rights` permit and `tariff` knows what it costs.
//!    `arrivals` says how long nodes idle before, where jobs arrive unannounced, and `load` how many stay on for what waits.
//! 4. `days` chooses, exactly, where a node may be switched only so often a day.
//! 5. `coupling` keeps nodes warm and the burst of switching nodes under the cap: the sleeps that save most a second come first,
//!    and what is in the way of others sleeps for a part of its gap, or not at all.
//!
//! `docs/MODEL.md` has the arithmetic, and the sources of it.

mod amounts;
mod arrivals;
mod begun;
mod burst;
mod coupling;
mod days;
mod finder;
mod gaps;
mod kind;
mod load;
mod marginal;
mod refusal;
mod rights;
mod room;
mod rules;
mod sleeps;
mod steps;
mod tariff;
mod wakings;
mod window;
#[cfg(test)]
mod worked_example;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::agenda::Agendas;
use crate::book::{BookedSpan, Outage};
use crate::cancelled::Cancelled;
use crate::cap_scope::CapScope;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::power_states::Sleep;
use crate::quantity::Power;
use crate::time::{Seconds, Span, Timestamp};

pub use amounts::{CriteriaAmounts, RankBy, RankByError};
pub use kind::{SleepTimes, SwitchableNode};
pub use load::{MAX_QUEUED_NODE_S, QueueLoad};
pub(crate) use marginal::{GapBasis, GapSavings, Sleeper};
pub use refusal::Refusal;
pub use rights::{Permits, Right, RightAction, RightLevel};
pub use rules::PowerRules;
pub use window::WeeklyWindow;

/// The longest horizon, which keeps every product inside 128 bits: 2e15 uW x 1e12 x 3.2e10 ms = 6.4e37 < 1.7e38.
pub const LONGEST_HORIZON: Seconds = Seconds::new(366 * 86_400);

/// The most that nodes which can be switched may draw in all their states together.
pub const MAX_SWITCHED_POWER: Power = Power::from_microwatts(2_000_000_000_000_000);

/// How a node is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switching {
    /// What it draws when it is off, and the ways there and back.
    pub sleep: Sleep,
    /// A high quantile of its boot times, by which it is woken.
    pub boot: Duration,
}

/// So many nodes of a partition or with a feature that nobody has are up at any time, as far as there are as many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepWarm {
    /// How it is told, such as `partition "batch"`.
    pub name: Box<str>,
    /// The nodes among which they are, by ordinal.
    pub among: NodeSet,
    /// How many nodes stay up.
    pub nodes: u32,
    /// Until when; to the end of the horizon where it is `None`.
    pub until: Option<Timestamp>,
}

/// Every input of a plan of power actions.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerProblem {
    /// From now to the instant at which every node that was on is to be up again.
    pub horizon: Span,
    /// The nodes.
    pub nodes: Arc<Nodes>,
    /// The nodes that are off now, by ordinal; the others, and those that cannot be switched, are on and up.
    pub asleep: NodeSet,
    /// How each node is switched, by ordinal; `None` where it never is.
    pub switching: Vec<Option<Switching>>,
    /// The reservations that hold nodes.
    pub reservations: Vec<BookedSpan>,
    /// The nodes that are out of service; they are not switched meanwhile.
    pub outages: Vec<Outage>,
    /// Price, CO2 intensity and power cap over time.
    pub agendas: Agendas,
    /// What the power cap limits.
    pub cap_scope: CapScope,
    /// What may be done to nodes; nothing where no right is in force.
    pub rights: Vec<Right>,
    /// How many nodes stay up though nobody has them.
    pub keep_warm: Vec<KeepWarm>,
    /// The nodes on which jobs arrive that nobody announced: each idles for its break-even time before it is switched off.
    pub unannounced: NodeSet,
    /// The queues beside for whose work nodes stay on.
    pub loads: Vec<QueueLoad>,
    /// Since when nodes have idled that are in a gap now, by ordinal; since now where nothing is told.
    pub idle_since: BTreeMap<u32, Timestamp>,
    /// How often a node may be switched off on a day of UTC.
    pub most_switches_per_day: Option<u32>,
    /// The criteria by which a sleep is judged.
    pub rank_by: RankBy,
    /// What wear costs, of a node that is switched off and on once.
    pub wear: CriteriaAmounts,
    /// How probable it is that a node does not come back, in millionths, and what that costs.
    pub failure: (i64, CriteriaAmounts),
}

/// A sleep of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedSleep {
    /// The node, by ordinal.
    pub node: u32,
    /// The gap that it sleeps in.
    pub gap: Span,
    /// The orders.
    pub times: SleepTimes,
    /// How switching it off comes to be done.
    pub level: RightLevel,
    /// What it saves against idling, wear and the risk of failing taken off.
    pub saves: CriteriaAmounts,
}

/// A gap in which a node stays on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedGap {
    /// The node, by ordinal.
    pub node: u32,
    /// The gap.
    pub gap: Span,
    /// Why no sleep is planned in it.
    pub because: Refusal,
}

/// A gap that a node begins off, and when it is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedWaking {
    /// The node, by ordinal.
    pub node: u32,
    /// The gap; `None` where the node is booked at the first instant at which it is not out of service.
    pub gap: Option<Span>,
    /// The order to wake, in milliseconds since the Unix epoch; `None` where it stays off for longer than the gap.
    pub wake_ms: Option<i64>,
    /// By how many milliseconds it is counted on to be up after it is booked; 0 where it is in time.
    pub late_ms: i64,
    /// Whether waking it exceeds the power cap: it is booked, and there is no other time.
    pub exceeds_cap: bool,
    /// What it saves against idling in the gap. The wear and the risk of failing are of the sleep that had begun.
    pub saves: CriteriaAmounts,
}

/// Which node sleeps when: every gap of every node is in one of these, by node and time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerPlan {
    /// The sleeps.
    pub sleeps: Vec<PlannedSleep>,
    /// The gaps that nodes begin off.
    pub wakings: Vec<PlannedWaking>,
    /// The gaps without one.
    pub refused: Vec<RefusedGap>,
}

impl PowerProblem {
    fn gaps(&self) -> gaps::Gaps {
        gaps::Gaps::new(self.nodes.count(), &self.reservations, &self.outages, self.horizon)
    }

    /// What one cycle of switching off and on costs beside what is drawn.
    pub fn cycle_cost(&self) -> CriteriaAmounts {
        let (probability, loss) = self.failure;
        self.wear + loss.times_millionths(probability)
    }

    /// A node with what switching it needs.
    pub fn switchable(&self, ordinal: u32) -> Option<SwitchableNode> {
        let Switching { sleep, boot } = (*self.switching.get(ordinal as usize)?)?;
        let idle = self.nodes.as_slice().get(ordinal as usize)?.idle();
        Some(SwitchableNode { idle, sleep, boot })
    }
}

impl PowerPlan {
    /// What all sleeps save, those among them that had begun before.
    pub fn total(&self) -> CriteriaAmounts {
        let begun = self.wakings.iter().map(|waking| waking.saves);
        let saves = self.sleeps.iter().map(|sleep| sleep.saves).chain(begun);
        saves.fold(CriteriaAmounts::ZERO, |total, saves| total + saves)
    }
}

/// Plans which node sleeps when. Costs the bends of tariffs for each kind of node, those in the gaps of each node, and
/// where nodes depend on each other a logarithm for each sleep.
///
/// # Errors
/// [`Cancelled`] soon after `is_cancelled` says so.
pub fn plan_power(
    problem: &PowerProblem,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PowerPlan, Cancelled> {
    let tariffs = tariff::Tariffs::new(&problem.agendas, problem.rank_by, problem.horizon);
    let gaps = problem.gaps();
    let problem = &*load::with_loads(problem, &gaps);
    let mut finder = finder::Finder::new(problem, &tariffs);
    let wakings = wakings::Wakings::of(problem, &gaps, &mut finder, is_cancelled)?;
    let since_idle = arrivals::idle_horizon(problem);
    let since_idle = tariff::Tariffs::new(&problem.agendas, problem.rank_by, since_idle);
    let rental = arrivals::SkiRental::new(problem, &since_idle);
    let rules = (&wakings, &rental);
    let wanted = sleeps::Sleeps::of(problem, finder, &gaps, rules, is_cancelled)?;
    coupling::coupled(problem, &gaps, wakings, wanted, is_cancelled)
}
