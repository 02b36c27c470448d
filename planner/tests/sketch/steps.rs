//! Agendas: prices, intensities and caps by steps.

use planner::agenda::{Agenda, Piece};
use planner::cap_scope::CapScope;
use planner::node::Node;
use planner::quantity::Power;
use planner::time::Span;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{instant, length, span};

/// Long after every start.
const HORIZON: i64 = 1_000;

/// An agenda: (gap before, length, value); a cap's value is a set of nodes and microwatts more.
#[derive(Clone, Debug)]
pub struct Steps {
    from: i64,
    pieces: Vec<(i64, i64, i64)>,
    /// Whether the last piece goes on for good.
    endless: bool,
}

pub fn steps(value: impl Strategy<Value = i64>) -> impl Strategy<Value = Steps> {
    let gap = prop_oneof![19 => Just(0), 1 => 1..10_i64];
    let from = prop_oneof![9 => Just(-20), 1 => 0..30_i64];
    (from, vec((gap, length(), value), 1..=8), prop::bool::weighted(0.9))
        .prop_map(|(from, pieces, endless)| Steps { from, pieces, endless })
}

pub fn rate() -> impl Strategy<Value = i64> {
    prop_oneof![
        19 => select(&[-5, 0, 2, 3, 3, 4, 6][..]),
        1 => select(&[-1_000_000_000_000, 1_000_000_000_000][..]),
    ]
}

/// A cap is what some nodes need at most, as a bit for each, and at times a microwatt more or less.
pub fn cap(most: u32) -> impl Strategy<Value = i64> {
    let few = select(&[0b1, 0b11, 0b111, 0b1111, 0b10_1011, 0b11_1111, 0b11_1111, 0b11_1111][..]);
    let first = (1..=most).prop_map(|count| (1_i64 << count) - 1);
    let nodes = prop_oneof![6 => few, most / 6 => first];
    (nodes, select(&[-1, 0, 0, 0, 1][..])).prop_map(|(nodes, more)| nodes * 4 + more + 1)
}

/// The cap that a value stands for; where idle nodes count, the others idle.
pub fn cap_of(value: i64, nodes: &[Node], scope: CapScope) -> Power {
    let (bits, more) = (value.div_euclid(4), value.rem_euclid(4) - 1);
    let power = |(bit, node): (i64, &Node)| match scope {
        _ if bits >> bit & 1 == 1 => node.max(),
        CapScope::AllNodes => node.idle(),
        CapScope::ReservedNodes => Power::ZERO,
    };
    (0..).zip(nodes).map(power).sum::<Power>() + Power::from_microwatts(more)
}

impl Steps {
    /// Pieces one after the other from the beginning, the last for good.
    pub const fn from_start(pieces: Vec<(i64, i64, i64)>) -> Self {
        Self { from: 0, pieces, endless: true }
    }

    pub fn agenda<V: Copy>(&self, value: impl Fn(i64) -> V) -> Agenda<V> {
        let mut end = self.from;
        let mut pieces = Vec::new();
        for &(gap, length, it) in &self.pieces {
            let start = end + gap;
            end = start + length;
            pieces.push(Piece { span: span(start, end), value: value(it) });
        }
        if let Some(last) = pieces.last_mut().filter(|_| self.endless) {
            last.span = Span::new(last.span.start(), instant(HORIZON)).unwrap();
        }
        Agenda::new(pieces).unwrap()
    }
}
