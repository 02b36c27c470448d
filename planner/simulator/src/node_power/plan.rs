//! What the planner is asked: the one place where its problem is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::agenda::Agendas;
use planner::book::{BookedSpan, Outage};
use planner::cap_scope::CapScope;
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, KeepWarm, PowerPlan, PowerProblem, Switching, plan_power,
};
use planner::search::Cancelled;
use planner::time::Span;

use super::PowerMonth;
use super::course::{ManagerCounts, NodeActivity, NodeHold, PlayedPower};
use super::orders::{NodeUnderOrders, SwitchingTimes};

/// What the manager knows at an instant.
pub(super) struct PowerKnowledge {
    /// From then to the end of the month.
    pub horizon: Span,
    pub agendas: Agendas,
    pub reservations: Vec<BookedSpan>,
    /// The time in which nodes sleep, boot or are repaired already.
    pub away: Vec<Outage>,
    pub keep_warm: Vec<KeepWarm>,
    /// How the nodes that are planned are switched, by ordinal; `None` for the others.
    pub switching: Vec<Option<Switching>>,
}

impl PowerKnowledge {
    pub fn plan(
        self,
        month: &PowerMonth,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<PowerPlan, Cancelled> {
        let problem = PowerProblem {
            horizon: self.horizon,
            nodes: Arc::clone(&month.nodes),
            // Those that sleep are away, and woken by orders that were planned when they fell asleep.
            asleep: NodeSet::new(),
            unannounced: NodeSet::new(),
            loads: Vec::new(),
            idle_since: BTreeMap::new(),
            switching: self.switching,
            reservations: self.reservations,
            outages: self.away,
            agendas: self.agendas,
            cap_scope: CapScope::ReservedNodes,
            rights: month.rules.rights.clone(),
            keep_warm: self.keep_warm,
            most_switches_per_day: month.rules.most_switches_per_day,
            rank_by: month.rules.rank_by,
            wear: month.rules.wear,
            failure: (0, CriteriaAmounts::ZERO),
        };
        plan_power(&problem, is_cancelled)
    }
}

/// What a manager saves at the most: it knows all bookings and agendas of the month from its start on, and plans once.
///
/// Every node boots in the least time and comes back. No node is kept warm, and no cap is in the way of switching. So the plan of
/// each node is the best there is: no manager that wakes nodes in time and lets each sleep once in a gap saves more in the criterion
/// that is ranked first.
///
/// # Errors
/// [`Cancelled`] soon after `is_cancelled` says so.
pub fn oracle(
    month: &PowerMonth,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PlayedPower, Cancelled> {
    let booked = month.bookings.iter().enumerate().map(|(place, booking)| BookedSpan {
        id: Arc::from(place.to_string()),
        span: booking.span,
        nodes: booking.nodes.clone(),
    });
    let at_once =
        |switching: &Switching| Switching { boot: switching.sleep.switching_on.time, ..*switching };
    let switching: Vec<Option<Switching>> =
        month.switching.iter().map(|it| it.as_ref().map(at_once)).collect();
    let knowledge = PowerKnowledge {
        horizon: month.month,
        agendas: Agendas { power_cap: None, ..month.agendas.clone() },
        reservations: booked.collect(),
        away: Vec::new(),
        keep_warm: Vec::new(),
        switching: switching.clone(),
    };
    let plan = knowledge.plan(month, is_cancelled)?;
    let mut nodes = month.nodes_at_start();
    for (place, booking) in month.bookings.iter().enumerate() {
        let hold = NodeHold { span: booking.span, booking: place };
        for node in booking.nodes.positions() {
            nodes[node as usize].course.hold(hold);
        }
    }
    for sleep in &plan.sleeps {
        let Some(switching) = &switching[sleep.node as usize] else { continue };
        let times = SwitchingTimes::of(switching);
        let (off, wake) = (sleep.times.off_ms, sleep.times.wake_ms);
        let course = &mut nodes[sleep.node as usize].course;
        course.begin(off, NodeActivity::SwitchingOff);
        course.begin(off + times.off, NodeActivity::Off);
        course.begin(wake, NodeActivity::SwitchingOn);
        course.begin(wake + times.on, NodeActivity::Up);
    }
    let counts = ManagerCounts { sleeps: plan.sleeps.len() as u64, ..ManagerCounts::default() };
    Ok(PlayedPower { nodes: nodes.into_iter().map(|node| node.course).collect(), counts })
}

impl PowerMonth {
    /// All nodes, on and free.
    pub(super) fn nodes_at_start(&self) -> Vec<NodeUnderOrders> {
        let start = super::orders::millis(self.month.start());
        vec![NodeUnderOrders::new(start); self.nodes.count() as usize]
    }
}
