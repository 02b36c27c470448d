//! Plans of power actions for large clusters: every node has its own powers, and a week of reservations at prices and CO2
//! intensities of quarter-hours, with nodes kept warm and a cap.
//!
//! `WATTBOOK_BENCH_NODES=1000000` adds that many nodes, once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::book::BookedSpan;
use planner::cap_scope::CapScope;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, KeepWarm, PowerProblem, RankBy, Right, RightAction, RightLevel, Switching,
    plan_power,
};
use planner::power_states::{Sleep, Transition};
use planner::quantity::{CarbonIntensity, EnergyPrice, MILLION, Power};
use planner::time::{Seconds, Span, Timestamp};

const WEEK_S: i64 = 7 * 86_400;

/// A sequence that looks random and is the same each time.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_767_225_600 + second)
}

fn span(start: i64, end: i64) -> Span {
    Span::new(at(start), at(end)).unwrap_or_else(|| unreachable!("it has a length"))
}

fn watts(watts: i64) -> Power {
    Power::from_microwatts(watts * MILLION)
}

/// Pieces of a quarter-hour over the week.
fn quarters<V: Copy>(mut value: impl FnMut(i64) -> Option<V>) -> Agenda<V> {
    let pieces = (0..WEEK_S / 900).filter_map(|quarter| {
        Some(Piece { span: span(quarter * 900, (quarter + 1) * 900), value: value(quarter)? })
    });
    Agenda::new(pieces.collect()).unwrap_or_else(|_| unreachable!("they are in order"))
}

/// A cluster that is reserved two thirds of the time, in blocks of 1 to 64 neighbouring nodes for 1 to 12 hours.
fn problem(nodes: u32, coupled: bool) -> PowerProblem {
    let mut random = Sequence(42);
    let mut node =
        |_| Node::new(watts(90 + random.below(40)), watts(200 + random.below(200)), None);
    let list: Vec<Node> = (0..nodes).filter_map(|ordinal| node(ordinal).ok()).collect();
    let mut random = Sequence(7);
    let mut switching = || {
        let transition = |power, seconds: i64| Transition {
            power: watts(power),
            time: Duration::from_secs(seconds.unsigned_abs()),
        };
        let on_s = 120 + random.below(60);
        let sleep = Sleep {
            number: 1,
            off: watts(8),
            switching_off: transition(100, 10 + random.below(20)),
            switching_on: transition(140, on_s),
        };
        Some(Switching { sleep, boot: Duration::from_secs((on_s + 60).unsigned_abs()) })
    };
    let agendas = Agendas {
        price: RateAgenda::new(quarters(|quarter| {
            EnergyPrice::from_millionths_per_mwh((quarter * 7919 % 160 - 10) * MILLION)
        })),
        co2: RateAgenda::new(quarters(|quarter| {
            CarbonIntensity::from_millionths_g_per_kwh((30 + quarter * 104_729 % 300) * MILLION)
        })),
        power_cap: coupled.then(|| quarters(|_| Some(watts(i64::from(nodes) * 290)))),
    };
    let all = || NodeSet::from_positions(0..nodes);
    let keep_warm = KeepWarm { name: "all".into(), among: all(), nodes: nodes / 50, until: None };
    PowerProblem {
        horizon: span(0, WEEK_S),
        nodes: Arc::new(Nodes::numbered(list).unwrap_or_else(|_| unreachable!("they are few"))),
        asleep: NodeSet::new(),
        switching: (0..nodes).map(|_| switching()).collect(),
        reservations: reservations(nodes),
        outages: Vec::new(),
        agendas,
        cap_scope: CapScope::AllNodes,
        rights: vec![Right {
            nodes: all(),
            level: RightLevel::Automatic,
            actions: vec![RightAction::Off],
            windows: Vec::new(),
        }],
        keep_warm: if coupled { vec![keep_warm] } else { Vec::new() },
        unannounced: NodeSet::new(),
        loads: Vec::new(),
        idle_since: BTreeMap::new(),
        most_switches_per_day: coupled.then_some(3),
        rank_by: RankBy::default(),
        wear: CriteriaAmounts::ZERO,
        failure: (0, CriteriaAmounts::ZERO),
    }
}

fn reservations(nodes: u32) -> Vec<BookedSpan> {
    let mut random = Sequence(1);
    let mut reservations = Vec::new();
    let mut first = 0;
    while first < nodes {
        let width = u32::try_from(1 + random.below(64)).unwrap_or(1).min(nodes - first);
        let mut from = random.below(6 * 3600);
        while from < WEEK_S {
            let end = from + 3600 + random.below(11 * 3600);
            let id = format!("r{}", reservations.len());
            let nodes = NodeSet::from_positions(first..first + width);
            reservations.push(BookedSpan { id: id.into(), span: span(from, end), nodes });
            from = end + random.below(Seconds::new(6 * 3600).get());
        }
        first += width;
    }
    reservations
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("power_plan");
    for (name, coupled) in
        [("10000_nodes_each_by_itself", false), ("10000_nodes_warm_capped", true)]
    {
        let problem = problem(10_000, coupled);
        group.bench_function(name, |bencher| bencher.iter(|| plan_power(&problem, &|| false)));
    }
    group.finish();
    let large = std::env::var("WATTBOOK_BENCH_NODES").ok().and_then(|nodes| nodes.parse().ok());
    if let Some(nodes) = large {
        for coupled in [false, true] {
            let problem = problem(nodes, coupled);
            let started = Instant::now();
            let plan = plan_power(&problem, &|| false);
            let took = started.elapsed().as_secs_f64();
            let count = plan.map(|plan| (plan.sleeps.len(), plan.refused.len()));
            println!("{nodes} nodes, warm and capped: {coupled}: {took:.2} s, {count:?}");
        }
    }
}
