//! Reserved power over time: what all reserved nodes count against the cap, their maximum power
//! where the cap is of these alone, and its profile against the cap.

use std::collections::HashMap;

use crate::agenda::Agenda;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Reserved power during a step, against the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileStep {
    /// When.
    pub span: Span,
    /// Of nodes that are booked for certain.
    pub confirmed: Power,
    /// Of these and of held offers.
    pub reserved: Power,
    /// The cap in force; `None` where none is known.
    pub cap: Option<Power>,
}

/// What all reserved nodes count, step by step over `span`.
///
/// At each instant a reservation counts with the largest of its alternatives, and a node that is
/// reserved twice counts once. `O(steps x bookings)`.
pub fn reserved_power(bookings: &[&Booking], order: &NodeOrder, span: Span) -> Vec<(Span, Power)> {
    steps(span, bookings.iter().map(|booking| booking.span))
        .into_iter()
        .map(|step| (step, reserved_during(bookings, order, step)))
        .collect()
}

/// The power profile of `span`: `held` are bookings that may yet lapse.
pub fn power_profile(
    confirmed: &[&Booking],
    held: &[&Booking],
    order: &NodeOrder,
    cap: &Agenda<Power>,
    span: Span,
) -> Vec<ProfileStep> {
    let all = [confirmed, held].concat();
    let spans = all.iter().map(|booking| booking.span);
    let spans = spans.chain(cap.overlapping(span).iter().map(|piece| piece.span));
    let mut profile: Vec<ProfileStep> = Vec::new();
    for step in steps(span, spans) {
        let next = ProfileStep {
            span: step,
            confirmed: reserved_during(confirmed, order, step),
            reserved: reserved_during(&all, order, step),
            cap: cap.at(step.start()),
        };
        match profile.last_mut() {
            Some(last) if (ProfileStep { span: last.span, ..next }) == *last => {
                last.span = Span::new(last.span.start(), step.end()).unwrap_or(last.span);
            }
            _ => profile.push(next),
        }
    }
    profile
}

/// `span` cut at every edge of `spans`.
fn steps(span: Span, spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut edges: Vec<Timestamp> = vec![span.start(), span.end()];
    edges.extend(spans.flat_map(|span| [span.start(), span.end()]));
    edges.retain(|edge| (span.start()..=span.end()).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1])).collect()
}

fn reserved_during(bookings: &[&Booking], order: &NodeOrder, step: Span) -> Power {
    let mut largest: HashMap<&str, (Power, &NodeSet)> = HashMap::new();
    for booking in bookings.iter().filter(|booking| booking.span.overlaps(step)) {
        let power = order.counted(&booking.ranks);
        let entry = largest.entry(&booking.id).or_insert((power, &booking.ranks));
        if power > entry.0 {
            *entry = (power, &booking.ranks);
        }
    }
    let ranges = largest.values().flat_map(|(_, ranks)| ranks.ranges().iter().cloned());
    order.counted(&NodeSet::from_ranges(ranges.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agenda::Piece;
    use crate::decimal::Fraction;
    use crate::node::{Node, Nodes};
    use crate::order::Preference;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    fn watts(watts: f64) -> Power {
        Power::from_watts(watts).unwrap()
    }

    fn order() -> NodeOrder {
        let node = Node::new(watts(50.0), watts(100.0), None).unwrap();
        let nodes = Nodes::numbered(vec![node; 4]).unwrap();
        NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE)
    }

    fn booking(id: &str, start: i64, end: i64, ranks: std::ops::Range<u32>) -> Booking {
        let ranks = NodeSet::from_positions(ranks);
        Booking::new(id.into(), span(start, end), ranks, &order())
    }

    /// Four nodes of 100 W. Confirmed: one node in [0, 20). Held, alternatives of one
    /// reservation: two nodes in [10, 20), one in [10, 30). In [10, 20) the larger counts:
    /// 100 + 200 W; in [20, 30) the other: 100 W.
    #[test]
    fn alternatives_count_with_the_largest() {
        let confirmed = booking("a", 0, 20, 0..1);
        let held = [booking("b", 10, 20, 1..3), booking("b", 10, 30, 3..4)];
        let cap = Agenda::new(vec![Piece { span: span(0, 25), value: watts(350.0) }]).unwrap();
        let held: Vec<&Booking> = held.iter().collect();
        let profile = power_profile(&[&confirmed], &held, &order(), &cap, span(0, 40));
        let step = |start, end, confirmed, reserved, cap: Option<f64>| ProfileStep {
            span: span(start, end),
            confirmed: watts(confirmed),
            reserved: watts(reserved),
            cap: cap.map(watts),
        };
        assert_eq!(
            profile,
            [
                step(0, 10, 100.0, 100.0, Some(350.0)),
                step(10, 20, 100.0, 300.0, Some(350.0)),
                step(20, 25, 0.0, 100.0, Some(350.0)),
                step(25, 30, 0.0, 100.0, None),
                step(30, 40, 0.0, 0.0, None),
            ]
        );
    }
}
