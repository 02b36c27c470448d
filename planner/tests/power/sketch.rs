//! Problems of a few nodes over a few seconds around midnight, as small numbers that shrink and print well.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::book::{BookedSpan, Outage};
use planner::cap_scope::CapScope;
use planner::criterion::Criterion;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, KeepWarm, PowerProblem, RankBy, Right, RightAction, RightLevel, Switching,
    WeeklyWindow,
};
use planner::power_states::{Sleep, Transition};
use planner::quantity::{
    CarbonIntensity, CarbonMass, Currency, Energy, EnergyPrice, MILLION, Money, Power,
};
use planner::time::{Span, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// 2026-01-02T00:00:00Z: some seconds before and after it are planned.
pub const MIDNIGHT: i64 = 1_767_312_000;

/// Seconds before midnight at which every horizon begins.
const BEFORE: i64 = 7;

/// One problem; times are seconds after the horizon's start, powers are watts.
#[derive(Clone, Debug)]
pub struct PowerSketch {
    pub length: i64,
    pub nodes: Vec<SketchedNode>,
    /// The nodes that are off at the start, as bits.
    pub asleep: u8,
    /// The nodes on which jobs arrive unannounced, as bits; they have idled for two seconds at the start.
    pub unannounced: u8,
    /// Start, length, nodes as bits, and whether it is an outage.
    pub taken: Vec<(i64, i64, u8, bool)>,
    /// Starts of pieces and their values; `None` is a gap.
    pub price: Vec<(i64, Option<i64>)>,
    pub co2: Vec<(i64, Option<i64>)>,
    pub cap: Option<Vec<(i64, Option<i64>)>>,
    pub all_nodes: bool,
    /// Nodes as bits, level, and whether it holds before or after midnight alone.
    pub rights: Vec<(u8, RightLevel, Option<bool>)>,
    /// Nodes as bits, and how many stay warm.
    pub warm: Vec<(u8, u32)>,
    pub most_switches: Option<u32>,
    pub rank_by: Vec<Criterion>,
    /// Joules, millionths of the currency and milligrams, of wear and of failing with a probability of a half.
    pub wear: (i64, i64, i64),
    pub failing: (i64, i64, i64),
}

/// Idle, off, switching off and switching on in watts; the times in half seconds.
#[derive(Clone, Copy, Debug)]
pub struct SketchedNode {
    pub idle: i64,
    pub switching: Option<SketchedSwitching>,
}

#[derive(Clone, Copy, Debug)]
pub struct SketchedSwitching {
    pub off: i64,
    pub powers: (i64, i64),
    /// Off, on and boot.
    pub half_seconds: (u64, u64, u64),
}

/// Problems in which only rules of single nodes bind, to half a second.
pub fn single() -> impl Strategy<Value = PowerSketch> {
    let switching = (0_i64..9, 0_i64..16, 0_i64..16, (0_u64..5, 0_u64..5, 0_u64..7));
    let node = node(switching);
    let taken = (0_i64..14, 1_i64..7, 0_u8..4, any::<bool>());
    let criteria = select(vec![
        vec![Criterion::Energy],
        vec![Criterion::Cost],
        vec![Criterion::Cost, Criterion::Co2],
        vec![Criterion::Co2, Criterion::Cost, Criterion::Energy],
    ]);
    let levels = select(vec![RightLevel::Nothing, RightLevel::Propose, RightLevel::Automatic]);
    let right = (0_u8..4, levels, prop::option::of(any::<bool>()));
    let costs = || (0_i64..8, 0_i64..3, 0_i64..2);
    (
        (8_i64..15, vec(node, 1..3), asleep(), asleep(), vec(taken, 0..4), pieces(), pieces()),
        (vec(right, 0..3), prop::option::of(0_u32..3), criteria, costs(), costs()),
    )
        .prop_map(
            |(
                (length, nodes, asleep, unannounced, taken, price, co2),
                (mut rights, most_switches, rank_by, wear, failing),
            )| {
                rights.push((1, RightLevel::Automatic, None));
                PowerSketch {
                    length,
                    nodes,
                    asleep,
                    unannounced,
                    taken,
                    price,
                    co2,
                    cap: None,
                    all_nodes: false,
                    rights,
                    warm: Vec::new(),
                    most_switches,
                    rank_by,
                    wear,
                    failing,
                }
            },
        )
}

/// Problems in which nodes depend on each other, to the second, ranked by energy.
pub fn coupled() -> impl Strategy<Value = PowerSketch> {
    let whole = (1_u64..3).prop_map(|seconds| 2 * seconds);
    let times = (whole.clone(), whole).prop_map(|(off, on)| (off, on, on));
    let node = node((0_i64..3, 5_i64..14, 5_i64..14, times));
    let taken = (0_i64..12, 1_i64..4, 0_u8..8, Just(false));
    let cap = vec((0_i64..12, (10_i64..80).prop_map(Some)), 1..3);
    (
        (8_i64..12, vec(node, 2..4), asleep(), vec(taken, 0..2)),
        (
            prop::option::of(cap),
            any::<bool>(),
            vec((1_u8..8, 0_u32..3), 0..3),
            prop::option::of(1_u32..3),
        ),
    )
        .prop_map(|((length, nodes, asleep, taken), (cap, all_nodes, warm, most_switches))| {
            PowerSketch {
                length,
                nodes,
                asleep,
                unannounced: 0,
                taken,
                price: Vec::new(),
                co2: Vec::new(),
                cap,
                all_nodes,
                rights: vec![(7, RightLevel::Automatic, None)],
                warm,
                most_switches,
                rank_by: vec![Criterion::Energy],
                wear: (0, 0, 0),
                failing: (0, 0, 0),
            }
        })
}

/// Some nodes as bits: none in half of all problems.
fn asleep() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0_u8), 0_u8..8]
}

fn node(
    switching: impl Strategy<Value = (i64, i64, i64, (u64, u64, u64))>,
) -> impl Strategy<Value = SketchedNode> {
    let switching = switching.prop_map(|(off, down, up, half_seconds)| SketchedSwitching {
        off,
        powers: (down, up),
        half_seconds,
    });
    (5_i64..12, prop::option::weighted(0.9, switching))
        .prop_map(|(idle, switching)| SketchedNode { idle, switching })
}

fn pieces() -> impl Strategy<Value = Vec<(i64, Option<i64>)>> {
    let value = prop::option::weighted(0.95, select(vec![-30_i64, 0, 10, 50, 400]));
    vec((0_i64..15, value), 0..4).prop_map(|mut pieces| {
        pieces.push((-9, Some(50)));
        pieces
    })
}

fn span(start: i64, end: i64) -> Span {
    let at = |second| Timestamp::from_unix_seconds(MIDNIGHT - BEFORE + second);
    Span::new(at(start), at(end)).unwrap()
}

fn agenda<V: Copy>(pieces: &[(i64, Option<i64>)], value: impl Fn(i64) -> V) -> Agenda<V> {
    let mut pieces = pieces.to_vec();
    pieces.sort_by_key(|piece| piece.0);
    pieces.dedup_by_key(|piece| piece.0);
    let ends = pieces.iter().skip(1).map(|it| it.0).chain([99]);
    let pieces = pieces.iter().zip(ends).filter_map(|(&(start, it), end)| {
        Some(Piece { span: span(start, end), value: value(it?) })
    });
    Agenda::new(pieces.collect()).unwrap()
}

fn watts(watts: i64) -> Power {
    Power::from_microwatts(watts * MILLION)
}

impl PowerSketch {
    pub fn problem(&self) -> PowerProblem {
        let nodes = self.nodes.iter().map(|it| Node::new(watts(it.idle), watts(30), None).unwrap());
        let rank_by = RankBy::new(&self.rank_by).unwrap();
        let (reservations, outages) = self.taken();
        PowerProblem {
            horizon: span(0, self.length),
            nodes: Arc::new(Nodes::numbered(nodes.collect()).unwrap()),
            asleep: self.nodes_of(self.asleep),
            switching: self
                .nodes
                .iter()
                .map(|it| it.switching.map(SketchedSwitching::value))
                .collect(),
            reservations,
            outages,
            agendas: Agendas {
                price: RateAgenda::new(agenda(&self.price, |value| {
                    EnergyPrice::from_millionths_per_mwh(value * MILLION).unwrap()
                })),
                co2: RateAgenda::new(agenda(&self.co2, |value| {
                    CarbonIntensity::from_millionths_g_per_kwh(value.max(0) * MILLION).unwrap()
                })),
                power_cap: self.cap.as_ref().map(|cap| agenda(cap, watts)),
            },
            cap_scope: if self.all_nodes { CapScope::AllNodes } else { CapScope::ReservedNodes },
            rights: self.rights.iter().map(|right| self.right(*right)).collect(),
            keep_warm: self
                .warm
                .iter()
                .map(|(nodes, count)| KeepWarm {
                    name: "nodes".into(),
                    among: self.nodes_of(*nodes),
                    nodes: *count,
                    until: None,
                })
                .collect(),
            unannounced: self.nodes_of(self.unannounced),
            loads: Vec::new(),
            idle_since: (0..2).map(|node| (node, span(-2, 0).start())).collect(),
            most_switches_per_day: self.most_switches,
            rank_by,
            wear: amounts(self.wear),
            failure: (500_000, amounts(self.failing)),
        }
    }

    fn taken(&self) -> (Vec<BookedSpan>, Vec<Outage>) {
        let (mut reservations, mut outages) = (Vec::new(), Vec::new());
        for (place, &(start, length, nodes, is_out)) in self.taken.iter().enumerate() {
            let (span, nodes) = (span(start, start + length), self.nodes_of(nodes));
            if is_out {
                outages.push(Outage { span, nodes });
            } else {
                reservations.push(BookedSpan { id: format!("r{place}").into(), span, nodes });
            }
        }
        (reservations, outages)
    }

    fn nodes_of(&self, bits: u8) -> NodeSet {
        let count = u32::try_from(self.nodes.len()).unwrap();
        NodeSet::from_positions((0..count).filter(|node| bits >> node & 1 == 1))
    }

    fn right(&self, (nodes, level, after): (u8, RightLevel, Option<bool>)) -> Right {
        let (midnight, noon) = (Time::midnight(), Time::new(12, 0, 0, 0).unwrap());
        let window = after.map(|after| {
            let (from, to) = if after { (midnight, noon) } else { (noon, midnight) };
            WeeklyWindow { days: Vec::new(), from, to, zone: TimeZone::UTC }
        });
        Right {
            nodes: self.nodes_of(nodes),
            level,
            actions: vec![RightAction::Off],
            windows: window.into_iter().collect(),
        }
    }
}

impl SketchedSwitching {
    fn value(self) -> Switching {
        let time = |half_seconds| Duration::from_millis(500 * half_seconds);
        let (off, on, boot) = self.half_seconds;
        let sleep = Sleep {
            number: 1,
            off: watts(self.off),
            switching_off: Transition { power: watts(self.powers.0), time: time(off) },
            switching_on: Transition { power: watts(self.powers.1), time: time(on) },
        };
        Switching { sleep, boot: time(boot) }
    }
}

fn amounts((joules, millionths, milligrams): (i64, i64, i64)) -> CriteriaAmounts {
    let milligram = CarbonMass::from_grams(0.001).unwrap().as_exact();
    CriteriaAmounts::new(
        Energy::from_microjoules(i128::from(joules * MILLION)),
        Money::from_millionths(millionths, Currency::EUR),
        CarbonMass::from_exact(milligram * i128::from(milligrams)),
    )
}
