//! Small problems rich in edge cases, as a few small numbers that shrink and print well.
//!
//! Times are seconds after [`BASE`]. Powers, prices and intensities take few distinct values, so
//! that ties are the normal case; times like multiples of five, so that edges touch.

mod conditions;
mod site;
mod slower;
mod steps;

use std::sync::Arc;

use planner::agenda::{Agendas, RateAgenda};
use planner::book::BookedSpan;
use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::time::{Seconds, Span, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use conditions::{Conditions, conditions};
use site::{Site, site};
use slower::{Slower, slower};
use steps::{Steps, cap, rate, steps};

/// 2026-01-01T00:00:05Z: a slot of 5 s, and of few other lengths.
pub const BASE: i64 = 1_767_225_605;

/// One problem.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// The slot, or none for the exact mode.
    pub slot: Option<i64>,
    /// Idle and maximum power in microwatts, and alpha where it makes a node.
    pub nodes: Vec<(i64, i64, Option<f64>)>,
    pub utilisation: Option<f64>,
    pub price: Steps,
    pub co2: Steps,
    pub cap: Option<Steps>,
    pub booked: Vec<Booked>,
    /// Whether nodes may be held twice at a time; ids are then all different, since which of
    /// several equal alternatives counts is left open.
    pub double_bookings: bool,
    pub asked: u32,
    pub duration: i64,
    pub earliest: i64,
    pub window: i64,
    pub now: i64,
    pub conditions: Conditions,
    pub site: Site,
    pub slower: Slower,
}

/// A reservation's id, start, length and nodes as bits.
#[derive(Clone, Copy, Debug)]
pub struct Booked(u8, i64, i64, u64);

/// Problems of the slots mode.
pub fn slotted() -> impl Strategy<Value = Sketch> {
    (slot(), exact()).prop_map(|(slot, sketch)| Sketch { slot: Some(slot), ..sketch })
}

fn slot() -> impl Strategy<Value = i64> {
    select(&[1, 2, 3, 5, 5, 5, 7, 10, 15, 30][..])
}

/// Problems of the exact mode.
pub fn exact() -> impl Strategy<Value = Sketch> {
    prop_oneof![3 => sketch(FEW), 1 => contest()]
}

/// Problems of both modes with dozens of nodes, which a busy book cuts into many ranges.
pub fn crowded() -> impl Strategy<Value = Sketch> {
    let slot = prop::option::of(slot());
    (sketch(MANY), vec(booked(MANY), 2..=16), slot).prop_map(|(sketch, booked, slot)| Sketch {
        slot,
        booked,
        ..sketch
    })
}

/// The most nodes of a sketch: few, so that ties and shortages are the normal case, or as many as
/// fit the bits of a word.
const FEW: u32 = 6;
const MANY: u32 = 60;

/// Some of so many nodes, as bits.
fn nodes(of: u32) -> impl Strategy<Value = u64> + Clone {
    let any = 1..1_u64 << of;
    prop_oneof![
        2 => any.clone(),
        1 => (any.clone(), any).prop_map(|(one, other)| (one & other).max(1)),
        1 => (0..of, 1..=of).prop_map(move |(from, count)| {
            (((1_u64 << count) - 1) << from) & ((1 << of) - 1)
        }),
    ]
}

/// Problems where much is feasible and each five seconds trade one criterion for another: where the
/// frugal nodes are free power is dear and dirty, and products of powers of two tie.
fn contest() -> impl Strategy<Value = Sketch> {
    // Nodes taken as bits, price, intensity: the draw is 10, 20 or 40 for 0, 1 or 3.
    let trades = [
        (0_u64, 40, 80),
        (0, 80, 40),
        (0, 80, 80),
        (1, 10, 40),
        (1, 40, 10),
        (1, 20, 80),
        (3, 5, 10),
        (3, 10, 5),
        (3, 5, 20),
        (3, 20, 5),
        (2, 80, 80),
    ];
    let slots = vec(0..trades.len(), 6..=20);
    let more = (conditions(10), site(10, FEW), slower(20, FEW));
    (slots, 20..=90_i64, more).prop_map(move |(slots, window, (conditions, site, slower))| {
        let of = |pick: fn((u64, i64, i64)) -> i64| {
            let pieces = slots.iter().map(|&slot| (0, 5, pick(trades[slot]))).collect();
            Steps::from_start(pieces)
        };
        let (price, co2) = (of(|(_, price, _)| price), of(|(_, _, co2)| co2));
        let booked = (0..).zip(&slots).map(|(at, &slot)| Booked(0, at * 5, 5, trades[slot].0));
        let booked = booked.collect();
        Sketch {
            slot: None,
            nodes: vec![(0, 10, None), (0, 20, None), (0, 40, None)],
            utilisation: None,
            price,
            co2,
            cap: None,
            booked,
            double_bookings: false,
            asked: 1,
            duration: 5,
            earliest: 0,
            window,
            now: -50,
            conditions,
            site,
            slower,
        }
    })
}

fn sketch(most: u32) -> impl Strategy<Value = Sketch> {
    let cluster = (
        vec(node(), 1..=most as usize),
        select(&[None, None, Some(0.0), Some(0.35), Some(1.0)][..]),
    );
    let agendas = (steps(rate()), steps(rate()), prop::option::weighted(0.7, steps(cap(most))));
    let book = (vec(booked(most), 0..=6), prop::bool::weighted(0.2));
    let duration = prop_oneof![2 => Just(1), 5 => multiple(1..=5), 3 => 2..20_i64];
    let window = prop_oneof![1 => Just(0), 5 => multiple(1..=20), 4 => 1..100_i64];
    let now = prop_oneof![6 => Just(-50), 4 => -5..40_i64];
    let request = (0..=99_u32, duration, multiple(0..=8), window, now);
    let more = (conditions(25), site(25, most), slower(25, most));
    (cluster, agendas, book, request, more).prop_map(
        |(cluster, agendas, book, request, (conditions, site, slower))| {
            let (nodes, utilisation) = cluster;
            let (price, co2, cap) = agendas;
            let (booked, double_bookings) = book;
            let (asked, duration, earliest, window, now) = request;
            let asked = asked_of(asked, nodes.len());
            let now = now.min(earliest + window);
            Sketch {
                slot: None,
                nodes,
                utilisation,
                price,
                co2,
                cap,
                booked,
                double_bookings,
                asked,
                duration,
                earliest,
                window,
                now,
                conditions,
                site,
                slower,
            }
        },
    )
}

/// Mostly a few nodes, sometimes all, rarely more than there are.
fn asked_of(roll: u32, nodes: usize) -> u32 {
    let nodes = u32::try_from(nodes).unwrap();
    match roll {
        0..=1 => nodes + 1 + roll,
        2..=11 => nodes,
        _ => 1 + roll % nodes.div_ceil(2),
    }
}

/// A second that edges share.
fn multiple(range: std::ops::RangeInclusive<i64>) -> impl Strategy<Value = i64> + Clone {
    range.prop_map(|it| it * 5)
}

fn time() -> impl Strategy<Value = i64> + Clone {
    prop_oneof![7 => multiple(-4..=26), 3 => -20..130_i64]
}

fn length() -> impl Strategy<Value = i64> + Clone {
    prop_oneof![7 => multiple(1..=8), 3 => 1..40_i64]
}

/// Idle at most maximum, equal in one of four; odd microwatts make half-even rounding count.
fn node() -> impl Strategy<Value = (i64, i64, Option<f64>)> {
    let powers =
        select(&[(10, 10), (5, 10), (5, 10), (0, 10), (7, 20), (10, 20), (0, 1), (20, 40)][..]);
    let alpha = select(&[None, None, Some(0.5), Some(0.75), Some(1.0)][..]);
    (powers, alpha).prop_map(|((idle, max), alpha)| (idle, max, alpha))
}

fn booked(most: u32) -> impl Strategy<Value = Booked> {
    (0..3_u8, time(), length(), nodes(most))
        .prop_map(|(id, start, length, nodes)| Booked(id, start, length, nodes))
}

pub fn instant(offset: i64) -> Timestamp {
    Timestamp::from_unix_seconds(BASE + offset)
}

pub fn span(start: i64, end: i64) -> Span {
    Span::new(instant(start), instant(end)).unwrap()
}

impl Sketch {
    /// The problem it stands for.
    pub fn problem(&self) -> PlanningProblem {
        let nodes: Vec<Node> = self.nodes.iter().map(node_of).collect();
        let scope = self.site.cap_scope();
        let rate_of = |value| EnergyPrice::from_millionths_per_mwh(value).unwrap();
        let intensity_of = |value| CarbonIntensity::from_millionths_g_per_kwh(value).unwrap();
        let cap_of = |value| steps::cap_of(value, &nodes, scope);
        let agendas = Agendas {
            price: RateAgenda::new(self.price.agenda(rate_of)),
            co2: RateAgenda::new(self.co2.agenda(intensity_of)),
            power_cap: self.cap.as_ref().map(|cap| cap.agenda(cap_of)),
        };
        let labels = self.site.labels(nodes.len());
        let count = u32::try_from(nodes.len()).unwrap();
        let mut request = self.conditions.request(
            (self.asked, self.duration),
            (self.earliest, self.window),
            self.now,
        );
        request.utilisation = self.utilisation.map(|it| Fraction::new(it).unwrap());
        request.filter = self.site.filter(count);
        let (states, request) = (self.slower.states(&nodes), self.slower.allowed(request));
        PlanningProblem {
            now: instant(self.now),
            search: self
                .slot
                .map_or(SearchMode::Exact, |slot| SearchMode::Slots { slot: Seconds::new(slot) }),
            currency: Currency::EUR,
            agendas,
            nodes: Arc::new(
                Nodes::numbered(nodes).unwrap().with_labels(labels).with_slower_states(states),
            ),
            reservations: self.reservations(),
            cap_scope: scope,
            outages: self.site.outages(count),
            idle_energy: None,
            request,
        }
    }

    /// The entries in the order drawn; without double bookings an entry leaves out the nodes that
    /// another id holds at the time.
    fn reservations(&self) -> Vec<BookedSpan> {
        let mut kept: Vec<BookedSpan> = Vec::new();
        for (index, &Booked(id, start, length, nodes)) in self.booked.iter().enumerate() {
            let id = if self.double_bookings { format!("r{index}") } else { format!("r{id}") };
            let span = span(start, start + length);
            let held = |node: &u32| {
                kept.iter().any(|other| {
                    *other.id != *id && other.span.overlaps(span) && other.nodes.contains(*node)
                })
            };
            let count = u32::try_from(self.nodes.len()).unwrap();
            let nodes = bits(nodes, count).filter(|node| self.double_bookings || !held(node));
            let nodes = NodeSet::from_positions(nodes);
            if !nodes.is_empty() {
                kept.push(BookedSpan { id: id.into(), span, nodes });
            }
        }
        kept
    }
}

/// The bits that are set, of so many.
fn bits(set: u64, count: u32) -> impl Iterator<Item = u32> {
    (0..count).filter(move |bit| set >> bit & 1 == 1)
}

/// Without its alpha where that would put the draw below idle.
fn node_of(&(idle, max, alpha): &(i64, i64, Option<f64>)) -> Node {
    let (idle, max) = (Power::from_microwatts(idle), Power::from_microwatts(max));
    let alpha = alpha.map(|it| Fraction::new(it).unwrap());
    Node::new(idle, max, alpha).or_else(|_| Node::new(idle, max, None)).unwrap()
}
