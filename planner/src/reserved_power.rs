//! Reserved power over time: what all reserved nodes count against the cap, their maximum power
//! where the cap is of these alone, and its profile against the cap.

use std::collections::HashMap;

use crate::agenda::Agenda;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};
use sweep::Sweep;

mod sweep;

/// Reserved power during a step, against the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileStep {
    /// The time for which these powers hold.
    pub span: Span,
    /// The power of nodes that are booked for certain.
    pub confirmed: Power,
    /// The power of these and of held offers.
    pub reserved: Power,
    /// The cap in force; `None` where none is known.
    pub cap: Option<Power>,
}

/// What all reserved nodes count, step by step over `span`.
///
/// At each instant a reservation counts with the largest of its alternatives, and a node that is
/// reserved twice counts once. Nodes in a slower state count what they count in it, and none of these is reserved twice.
/// `O(steps x bookings)`.
pub fn reserved_power(bookings: &[&Booking], order: &NodeOrder, span: Span) -> Vec<(Span, Power)> {
    steps(span, bookings.iter().map(|booking| booking.span))
        .into_iter()
        .map(|step| (step, reserved_during(bookings, order, step)))
        .collect()
}

/// The power profile of `span`: `held` are bookings that may yet lapse.
///
/// Bookings come and go in time order, so that it costs `O(b log b)` for `b` bookings, their ranges of
/// ranks and, for each range, the cuts that others make in it.
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
    let mut confirmed = Sweep::new(confirmed, order, span);
    let mut reserved = Sweep::new(&all, order, span);
    let mut profile: Vec<ProfileStep> = Vec::new();
    for step in steps(span, spans) {
        let next = ProfileStep {
            span: step,
            confirmed: confirmed.at(step.start()),
            reserved: reserved.at(step.start()),
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
    let mut largest: HashMap<&str, (Power, Power, &NodeSet)> = HashMap::new();
    for booking in bookings.iter().filter(|booking| booking.span.overlaps(step)) {
        let full = order.counted(&booking.ranks);
        let power = booking.counted_slowed().unwrap_or(full);
        let entry = largest.entry(&booking.id).or_insert((power, full - power, &booking.ranks));
        if power > entry.0 {
            *entry = (power, full - power, &booking.ranks);
        }
    }
    let ranges = largest.values().flat_map(|(.., ranks)| ranks.ranges().iter().cloned());
    let spared: Power = largest.values().map(|(_, spares, _)| *spares).sum();
    order.counted(&NodeSet::from_ranges(ranges.collect())) - spared
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

    /// Of a reservation's offers one node at full speed counts 100 W in [0, 20), two in a slower state 80 W in [10, 30).
    #[test]
    fn nodes_in_a_slower_state_count_what_they_count_in_it() {
        let slowed = booking("a", 10, 30, 1..3).slowed(watts(80.0));
        let offers = [booking("a", 0, 20, 0..1), slowed];
        let held: Vec<&Booking> = offers.iter().collect();
        let no_cap = Agenda::new(Vec::new()).unwrap();
        let profile = power_profile(&[], &held, &order(), &no_cap, span(0, 30));
        let reserved: Vec<(i64, Power)> =
            profile.iter().map(|it| (it.span.start().as_unix_seconds(), it.reserved)).collect();
        assert_eq!(reserved, [(0, watts(100.0)), (20, watts(80.0))]);
        let power = reserved_power(&held, &order(), span(10, 20));
        assert_eq!(power, [(span(10, 20), watts(100.0))]);
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

    /// Many bookings over few nodes and instants, alternatives and double bookings among them: step
    /// by step the same as when each step is looked at by itself.
    #[test]
    fn a_sweep_tells_what_each_step_tells_by_itself() {
        let watts_of = |node: u32| watts(f64::from(50 + 7 * (node % 5)));
        let node = |node| Node::new(Power::ZERO, watts_of(node), None).unwrap();
        let nodes = Nodes::numbered((0..12).map(node).collect()).unwrap();
        let order = NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE);
        let mut random = 1_u64;
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % below
        };
        for case in 0..300 {
            let mut booking = || {
                let start = i64::try_from(draw(30)).unwrap() - 5;
                let length = i64::try_from(1 + draw(12)).unwrap();
                let ranks = (0..=draw(4)).map(|_| u32::try_from(draw(12)).unwrap());
                let ranks =
                    NodeSet::from_positions(ranks.collect::<std::collections::BTreeSet<_>>());
                let id = format!("r{}", draw(5));
                let booking = Booking::new(id.into(), span(start, start + length), ranks, &order);
                let half = Power::from_microwatts(booking.counted().as_microwatts() / 2);
                if draw(3) == 0 { booking.slowed(half) } else { booking }
            };
            let bookings: Vec<Booking> = (0..case % 14).map(|_| booking()).collect();
            let all: Vec<&Booking> = bookings.iter().collect();
            let (confirmed, held) = all.split_at(all.len() / 2);
            let no_cap = Agenda::new(Vec::new()).unwrap();
            let profile = power_profile(confirmed, held, &order, &no_cap, span(0, 24));
            assert!(profile.windows(2).all(|pair| pair[0].span.end() == pair[1].span.start()));
            for second in 0..24 {
                let at = Timestamp::from_unix_seconds(second);
                let step = profile.iter().find(|step| step.span.contains(at)).unwrap();
                let during = span(second, second + 1);
                let expected =
                    [confirmed, &all].map(|bookings| reserved_during(bookings, &order, during));
                assert_eq!([step.confirmed, step.reserved], expected, "case {case} at {second}");
            }
        }
    }
}
