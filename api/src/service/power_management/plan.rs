//! Sleeps of the site's nodes: the problem from the book, the agendas and what was read, and the plan by name.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use planner::book::{BookedSpan, Outage};
use planner::node_set::NodeSet;
use planner::power_action::{PowerChange, PowerReading, SleepProposal};
use planner::power_plan::{PlannedSleep, PowerPlan, PowerProblem, Switching};
use planner::resource_manager::NodePower;
use planner::time::{Seconds, Span, Timestamp};

use super::look::Turn;

/// The sleeps of the site's nodes.
#[derive(Debug, Default)]
pub(super) struct SitePlan {
    /// By node and time.
    pub sleeps: Vec<SleepProposal>,
    /// The nodes that are to be woken now, by ordinal: so that enough are warm, or since that pays.
    pub woken: Vec<u32>,
}

impl Turn<'_> {
    /// The problem of which nodes sleep when from now on; `None` at the end of time.
    pub fn problem(&self) -> Option<PowerProblem> {
        let end = self.now + self.settings.horizon;
        let horizon = Span::new(self.now, end)?;
        let (reference, rules) = (&self.state.cluster.reference, &self.rules);
        let bookings = self.state.book.overlapping(horizon);
        let reservations = bookings.map(|it| BookedSpan {
            id: it.id.clone(),
            span: it.span,
            nodes: reference.ordinals(&it.ranks),
        });
        let out = self.state.book.outages().overlapping(horizon);
        let out = out.map(|it| Outage { span: it.span, nodes: reference.ordinals(&it.ranks) });
        // Those that are on their way, or of which nobody knows, keep nobody warm.
        let unknown = Outage { span: horizon, nodes: self.neither_on_nor_off() };
        Some(PowerProblem {
            horizon,
            nodes: self.state.cluster.nodes.clone(),
            asleep: self.asleep(),
            unannounced: rules.unannounced.clone(),
            loads: rules.loads.clone(),
            idle_since: self.idle_since.clone(),
            switching: self.switching(),
            reservations: reservations.collect(),
            outages: out.chain([unknown]).filter(|it| !it.nodes.is_empty()).collect(),
            agendas: self.state.agendas.as_ref().clone(),
            cap_scope: self.state.cluster.cap_scope,
            rights: rules.rights.clone(),
            keep_warm: rules.keep_warm.clone(),
            most_switches_per_day: rules.most_switches_per_day,
            rank_by: rules.rank_by,
            wear: rules.wear,
            failure: rules.failure,
        })
    }

    /// The sleeps of a plan by name, without those by which a node would be switched off too often today.
    pub fn site_plan(&self, plan: &PowerPlan, switched_today: &HashMap<String, u32>) -> SitePlan {
        let tomorrow = Timestamp::from_unix_seconds(
            (self.now.as_unix_seconds().div_euclid(86_400) + 1) * 86_400,
        );
        let mut left: HashMap<&str, u32> = HashMap::new();
        let most = self.rules.most_switches_per_day.unwrap_or(u32::MAX);
        let sleeps = plan.sleeps.iter().filter_map(|it| {
            let node = &self.nodes.get(&it.node)?.name;
            let sleep = proposal(node, it, self.now + self.settings.horizon);
            if sleep.off_at < tomorrow {
                let used = switched_today.get(node).copied().unwrap_or(0);
                let left = left.entry(node).or_insert_with(|| most.saturating_sub(used));
                *left = left.checked_sub(1)?;
            }
            Some(sleep)
        });
        let sleeps = sleeps.collect();
        let now_ms = self.now.as_unix_seconds() * 1000;
        let woken = plan.wakings.iter().filter(|it| it.wake_ms.is_some_and(|wake| wake <= now_ms));
        SitePlan { sleeps, woken: woken.map(|it| it.node).collect() }
    }

    /// How nodes are switched that are off, or may be switched off now; woken so long before they are needed that polls and orders
    /// have their time.
    fn switching(&self) -> Vec<Option<Switching>> {
        let woken = self.woken();
        let mut switching = vec![None; self.rules.switching.len()];
        for (node, managed) in &self.nodes {
            let power = self.readings.power(&managed.name);
            let name = managed.name.as_str();
            let is_held = self.holds.contains_key(name)
                || woken.contains(name)
                || self.stubborn.contains(name);
            if power.is(NodePower::Off) || power.is(NodePower::On) && !is_held {
                let place = *node as usize;
                let lead = Duration::from_secs(managed.times.lead.get().unsigned_abs());
                switching[place] =
                    self.rules.switching[place].map(|it| Switching { boot: lead, ..it });
            }
        }
        switching
    }

    /// The nodes that somebody has now, or that are out of service.
    pub fn taken_now(&self) -> NodeSet {
        let Some(now) = Span::starting(self.now, Seconds::ONE) else { return NodeSet::new() };
        let booked = self.state.book.overlapping(now).map(|it| &it.ranks);
        let out = self.state.book.outages().overlapping(now).map(|it| &it.ranks);
        let taken = booked.chain(out).fold(NodeSet::new(), |all, it| all.union(it));
        self.state.cluster.reference.ordinals(&taken)
    }

    /// The nodes that are off.
    fn asleep(&self) -> NodeSet {
        self.with_power(|power| power.is(NodePower::Off))
    }

    /// The nodes that are on their way, or of which nobody knows.
    fn neither_on_nor_off(&self) -> NodeSet {
        self.with_power(|power| !power.is(NodePower::Off) && !power.is(NodePower::On))
    }

    fn with_power(&self, is_so: impl Fn(&PowerReading) -> bool) -> NodeSet {
        let nodes = self.nodes.iter().filter(|(_, it)| is_so(&self.readings.power(&it.name)));
        NodeSet::from_positions(nodes.map(|(node, _)| *node))
    }

    /// The nodes that are being switched on.
    pub fn woken(&self) -> HashSet<&str> {
        let open = self.open.iter().filter(|it| it.change == PowerChange::On);
        open.map(|it| it.node.as_str()).collect()
    }
}

/// Orders are given in whole seconds: off no earlier, and on no later than planned. The plan wakes all nodes at the end of
/// its horizon; whether one that nobody has booked is woken then is for a later plan to say.
fn proposal(node: &str, sleep: &PlannedSleep, horizon_end: Timestamp) -> SleepProposal {
    let off = sleep.times.off_ms;
    let wake_at = Timestamp::from_unix_seconds(sleep.times.wake_ms.div_euclid(1000));
    SleepProposal {
        node: node.to_owned(),
        off_at: Timestamp::from_unix_seconds(off.div_euclid(1000) + i64::from(off % 1000 != 0)),
        wake_at: (sleep.gap.end() < horizon_end).then_some(wake_at),
        saves: sleep.saves,
        level: sleep.level,
    }
}
