//! A policy's month under the manager of the nodes' power, and what came of it.

use std::sync::Arc;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, KeepWarm, Right, RightAction, RightLevel, WeeklyWindow,
};
use planner::quantity::{CarbonMass, Currency, Energy, Money, Power};
use planner::request::Request;
use planner::time::{Seconds, Span, Timestamp};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::groups::GroupRight;
use super::manager::{Manager, ManagerParameters, millionths};
use super::streams::{Draw, stream};
use super::{Month, Parameters, SesamesError};
use crate::node_power::{
    BootDraws, ManagerCounts, ManagerRules, MonthBooking, PlayedPower, PowerMonth, account, oracle,
    play, without_manager,
};

/// What became of the nodes' power under a policy in a run: amounts beside computing, and what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManagedPower {
    /// What idle nodes take where all are on throughout.
    pub idle: MonthAmounts,
    /// What nodes take beside computing under the manager: idle, off, switching and wear.
    pub managed: MonthAmounts,
    /// What they take under the oracle.
    pub oracle: MonthAmounts,
    /// Nodes that were switched off, each time.
    pub sleeps: f64,
    /// Nodes that came late to a booking, each time.
    pub late_nodes: f64,
    /// How long bookings waited for them, node-seconds.
    pub late_node_s: f64,
    /// Nodes that did not come back.
    pub boot_failures: f64,
    /// Nodes that took the place of another in a booking.
    pub replaced_nodes: f64,
    /// Nodes that a booking lost.
    pub lost_nodes: f64,
    /// The node-seconds of bookings that were lost with them.
    pub lost_node_s: f64,
}

/// Energy, cost and CO2 of a month. The cost and the CO2 are absent where prices or intensities do not cover it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MonthAmounts {
    /// J.
    pub energy_j: f64,
    /// In the tariff's currency.
    pub cost: Option<f64>,
    /// g.
    pub co2_g: Option<f64>,
}

impl From<CriteriaAmounts> for MonthAmounts {
    fn from(amounts: CriteriaAmounts) -> Self {
        Self {
            energy_j: amounts.energy_j().unwrap_or(0.0),
            cost: amounts.cost(),
            co2_g: amounts.co2_g(),
        }
    }
}

/// The bookings of a policy as they are made, for the manager.
#[derive(Debug)]
pub(super) struct BookedMonth<'a> {
    parameters: &'a Parameters,
    month: &'a Month,
    run: u32,
    bookings: Vec<MonthBooking>,
    /// All nodes, and what they draw, where that is known once for all requests.
    all: Arc<NodeSet>,
    draws: Option<Arc<[Power]>>,
}

impl<'a> BookedMonth<'a> {
    /// No booking yet.
    pub fn new(parameters: &'a Parameters, month: &'a Month, run: u32) -> Self {
        let all = Arc::new(NodeSet::from_positions(0..month.platform.count()));
        Self { parameters, month, run, bookings: Vec::new(), all, draws: None }
    }

    /// Notes a booking that is made at an instant, where there is a manager.
    pub fn book(
        &mut self,
        known_from: Timestamp,
        span: Span,
        asked: &Request,
        nodes: impl FnOnce() -> NodeSet,
    ) {
        if self.parameters.manager.is_off() {
            return;
        }
        let draws = match &self.draws {
            Some(draws) if !self.month.truths_differ() => Arc::clone(draws),
            _ => Arc::from(self.month.true_draws(asked)),
        };
        self.draws = Some(Arc::clone(&draws));
        let admitted = if asked.filter.is_empty() {
            Arc::clone(&self.all)
        } else {
            let nodes = self.month.platform.pattern();
            let (admits, excluded) = (asked.filter.admits(nodes), asked.filter.excluded(nodes));
            let labelled = NodeSet::from_positions(self.all.positions().filter(|it| admits(*it)));
            Arc::new(labelled.difference(&excluded))
        };
        self.bookings.push(MonthBooking { known_from, span, nodes: nodes(), admitted, draws });
    }

    /// Plays the manager and the oracle; `None` where there is no manager.
    pub fn play(
        self,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<ManagedPower>, SesamesError> {
        let of = &self.parameters.manager;
        if of.is_off() {
            return Ok(None);
        }
        let boots = BootDraws {
            stream: stream(self.parameters.seed, self.run, Draw::Boots),
            spread_millionths: millionths(of.boot_spread_percent),
            failure_millionths: millionths(of.boot_failure_percent),
        };
        let month = self.power_month()?;
        let best = oracle(&month, is_cancelled)?;
        let believed = |now| self.month.believed_agendas(now);
        let played = match of.manager {
            Manager::None | Manager::Sleep => play(&month, boots, &believed, is_cancelled)?,
            Manager::Oracle => best.clone(),
        };
        Ok(Some(ManagedPower::of(&month, &played, &best)))
    }

    fn power_month(&self) -> Result<PowerMonth, SesamesError> {
        let of = &self.parameters.manager;
        let nodes = self.month.platform.as_nodes()?;
        let switching = nodes.as_slice().iter().map(|node| Some(of.switching(node))).collect();
        let span = self.parameters.month();
        let bookings = self.bookings.iter().filter(|booking| booking.span.overlaps(span)).cloned();
        #[expect(clippy::cast_possible_truncation, reason = "checked to be at most a year")]
        let repair = Seconds::new((of.repair_h * 3600.0).round_ties_even().max(1.0) as i64);
        Ok(PowerMonth {
            month: span,
            rules: rules(of, &nodes),
            nodes,
            switching,
            bookings: bookings.collect(),
            agendas: self.month.agendas.clone(),
            repair,
        })
    }
}

/// What the manager may do to nodes, and what that has to save.
pub(super) fn rules(of: &ManagerParameters, nodes: &Nodes) -> ManagerRules {
    let clock = |hour: u8| Time::new(i8::try_from(hour).unwrap_or(0), 0, 0, 0).unwrap_or(Time::MIN);
    let window = WeeklyWindow {
        days: Vec::new(),
        from: clock(of.off_from_h),
        to: clock(of.off_until_h),
        zone: TimeZone::UTC,
    };
    let wear = CriteriaAmounts::new(
        Energy::from_joules(of.wear_j).unwrap_or_default(),
        Money::from_units(of.wear_cost, Currency::EUR)
            .unwrap_or(Money::from_millionths(0, Currency::EUR)),
        CarbonMass::from_grams(of.wear_co2_g).unwrap_or(CarbonMass::from_exact(0)),
    );
    let all = NodeSet::from_positions(0..nodes.count());
    let hours = if of.off_from_h == of.off_until_h { Vec::new() } else { vec![window] };
    let right = |nodes, level, windows| {
        let actions = vec![RightAction::Off];
        Right { nodes, level, actions, windows }
    };
    let of_group = |GroupRight { group, level, windows }: &GroupRight| {
        let is_within_hours = windows.is_empty() && *level == RightLevel::Automatic;
        let windows = if is_within_hours { &hours } else { windows };
        right(group.nodes(nodes), *level, windows.clone())
    };
    let rights = match &of.rights {
        Some(rights) => rights.0.iter().map(of_group).collect(),
        None => vec![right(all.clone(), RightLevel::Automatic, hours)],
    };
    let warm = (of.keep_warm > 0).then(|| KeepWarm {
        name: "nodes".into(),
        among: all,
        nodes: of.keep_warm,
        until: None,
    });
    let groups = of.keep_warm_in.iter().flat_map(|groups| &groups.0);
    ManagerRules {
        rights,
        keep_warm: warm.into_iter().chain(groups.map(|warm| warm.rule(nodes))).collect(),
        most_switches_per_day: of.most_switches_per_day,
        rank_by: of.rank_by.0,
        wear,
    }
}

impl ManagedPower {
    fn of(month: &PowerMonth, played: &PlayedPower, best: &PlayedPower) -> Self {
        let taken = account(month, played);
        let ManagerCounts { sleeps, boot_failures, replaced_nodes, lost_nodes, lost_s } =
            played.counts;
        Self {
            idle: without_manager(month).beside_computing().into(),
            managed: taken.beside_computing().into(),
            oracle: account(month, best).beside_computing().into(),
            sleeps: sleeps as f64,
            late_nodes: taken.late_nodes as f64,
            late_node_s: taken.late_ms as f64 / 1000.0,
            boot_failures: boot_failures as f64,
            replaced_nodes: replaced_nodes as f64,
            lost_nodes: lost_nodes as f64,
            lost_node_s: lost_s as f64,
        }
    }

    /// The mean over runs.
    pub(super) fn mean(runs: &[Self]) -> Option<Self> {
        let count = runs.len() as f64;
        let of = |part: &dyn Fn(&Self) -> f64| runs.iter().map(part).sum::<f64>() / count;
        let maybe = |part: &dyn Fn(&Self) -> Option<f64>| {
            let all: Option<Vec<f64>> = runs.iter().map(part).collect();
            all.map(|all| all.iter().sum::<f64>() / count)
        };
        let amounts = |part: fn(&Self) -> MonthAmounts| MonthAmounts {
            energy_j: of(&|run| part(run).energy_j),
            cost: maybe(&|run| part(run).cost),
            co2_g: maybe(&|run| part(run).co2_g),
        };
        (!runs.is_empty()).then(|| Self {
            idle: amounts(|run| run.idle),
            managed: amounts(|run| run.managed),
            oracle: amounts(|run| run.oracle),
            sleeps: of(&|run| run.sleeps),
            late_nodes: of(&|run| run.late_nodes),
            late_node_s: of(&|run| run.late_node_s),
            boot_failures: of(&|run| run.boot_failures),
            replaced_nodes: of(&|run| run.replaced_nodes),
            lost_nodes: of(&|run| run.lost_nodes),
            lost_node_s: of(&|run| run.lost_node_s),
        })
    }
}

/// Something that is told of the manager: its key in documents, its name for people and its unit.
pub type ManagerFigure = (&'static str, &'static str, &'static str);

/// What is told of the manager, in the order of [`ManagedPower::values`].
pub const MANAGER_FIGURES: [ManagerFigure; 25] = [
    ("idle_energy_j", "energy of idle nodes without a manager", "J"),
    ("idle_cost", "cost of idle nodes without a manager", "money"),
    ("idle_co2_g", "CO2 of idle nodes without a manager", "g"),
    ("managed_energy_j", "energy beside computing with the manager", "J"),
    ("managed_cost", "cost beside computing with the manager", "money"),
    ("managed_co2_g", "CO2 beside computing with the manager", "g"),
    ("manager_saved_energy_j", "energy that the manager saves", "J"),
    ("manager_saved_cost", "cost that the manager saves", "money"),
    ("manager_saved_co2_g", "CO2 that the manager saves", "g"),
    ("manager_saved_energy_share", "energy saved, of that of idle nodes", ""),
    ("manager_saved_cost_share", "cost saved, of that of idle nodes", ""),
    ("manager_saved_co2_share", "CO2 saved, of that of idle nodes", ""),
    ("oracle_saved_energy_j", "energy that the oracle saves", "J"),
    ("oracle_saved_cost", "cost that the oracle saves", "money"),
    ("oracle_saved_co2_g", "CO2 that the oracle saves", "g"),
    ("of_oracle_energy", "energy saved, of what the oracle saves", ""),
    ("of_oracle_cost", "cost saved, of what the oracle saves", ""),
    ("of_oracle_co2", "CO2 saved, of what the oracle saves", ""),
    ("sleeps", "nodes switched off, each time", "count"),
    ("late_nodes", "nodes that came late to a booking", "count"),
    ("late_node_s", "node-time that bookings waited for them", "s"),
    ("boot_failures", "nodes that did not come back", "count"),
    ("replaced_nodes", "nodes that took another's place", "count"),
    ("lost_nodes", "nodes that bookings lost", "count"),
    ("lost_node_s", "node-time that bookings lost with them", "s"),
];

impl ManagedPower {
    /// What the manager saves against nodes that are on throughout.
    pub fn saved(&self) -> MonthAmounts {
        self.idle.less(self.managed)
    }

    /// What the oracle saves.
    pub fn oracle_saved(&self) -> MonthAmounts {
        self.idle.less(self.oracle)
    }

    /// What the manager saves, as a fraction of what idle nodes take.
    pub fn saved_share(&self) -> [Option<f64>; 3] {
        self.saved().per(self.idle)
    }

    /// What the oracle saves, as a fraction of what idle nodes take.
    pub fn oracle_share(&self) -> [Option<f64>; 3] {
        self.oracle_saved().per(self.idle)
    }

    /// What the manager saves, as a fraction of what the oracle does.
    pub fn of_oracle(&self) -> [Option<f64>; 3] {
        self.saved().per(self.oracle_saved())
    }

    /// The values of [`MANAGER_FIGURES`].
    pub fn values(&self) -> [Option<f64>; MANAGER_FIGURES.len()] {
        let counts = [
            self.sleeps,
            self.late_nodes,
            self.late_node_s,
            self.boot_failures,
            self.replaced_nodes,
            self.lost_nodes,
            self.lost_node_s,
        ];
        let amounts = [
            self.idle.each(),
            self.managed.each(),
            self.saved().each(),
            self.saved_share(),
            self.oracle_saved().each(),
            self.of_oracle(),
        ];
        let mut values = [None; MANAGER_FIGURES.len()];
        let all = amounts.into_iter().flatten().chain(counts.map(Some));
        values.iter_mut().zip(all).for_each(|(value, of)| *value = of);
        values
    }
}

/// The manager's part of a policy's summary: a mean over runs, told by [`MANAGER_FIGURES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManagerSummary(pub ManagedPower);

impl Serialize for ManagerSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(MANAGER_FIGURES.len()))?;
        for ((key, ..), value) in MANAGER_FIGURES.iter().zip(self.0.values()) {
            map.serialize_entry(key, &value)?;
        }
        map.end()
    }
}

impl MonthAmounts {
    /// Energy, cost and CO2.
    pub const fn each(self) -> [Option<f64>; 3] {
        [Some(self.energy_j), self.cost, self.co2_g]
    }

    fn less(self, other: Self) -> Self {
        let less = |one: Option<f64>, other: Option<f64>| Some(one? - other?);
        Self {
            energy_j: self.energy_j - other.energy_j,
            cost: less(self.cost, other.cost),
            co2_g: less(self.co2_g, other.co2_g),
        }
    }

    /// Each as a fraction of another; absent where that is nothing.
    fn per(self, whole: Self) -> [Option<f64>; 3] {
        let (parts, wholes) = (self.each(), whole.each());
        std::array::from_fn(|place| {
            let whole = wholes[place].filter(|whole| *whole != 0.0)?;
            Some(parts[place]? / whole)
        })
    }
}
