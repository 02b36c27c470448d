//! The power that bookings count against the cap over time, where no node is booked twice.

use crate::book::Booking;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Reserved power over `reach` where no two bookings of different ids share a node at an instant:
/// the sum over ids of the largest alternative.
pub(super) fn reserved_power(bookings: &[&Booking], reach: Span) -> Vec<(Span, Power)> {
    let mut by_id: Vec<(u64, usize)> =
        bookings.iter().enumerate().map(|(index, booking)| (booking.key(), index)).collect();
    // Keys decide all but always; ids make it certain.
    let same = |left: &(u64, usize), right: &(u64, usize)| {
        left.0.cmp(&right.0).then_with(|| bookings[left.1].id.cmp(&bookings[right.1].id))
    };
    by_id.sort_unstable_by(same);
    let mut changes: Vec<(Timestamp, Power)> = Vec::with_capacity(2 * bookings.len() + 1);
    changes.push((reach.start(), Power::ZERO));
    for alternatives in by_id.chunk_by(|left, right| same(left, right).is_eq()) {
        if let [(_, index)] = alternatives {
            let (span, power) = (bookings[*index].span, bookings[*index].counted());
            changes.extend([(span.start(), power), (span.end(), Power::ZERO - power)]);
        } else {
            let alternatives: Vec<&Booking> =
                alternatives.iter().map(|(_, index)| bookings[*index]).collect();
            largest(&alternatives, &mut changes);
        }
    }
    changes.sort_unstable();
    let mut steps: Vec<(Span, Power)> = Vec::with_capacity(changes.len());
    let (mut since, mut power) = (reach.start(), Power::ZERO);
    for (instant, change) in changes {
        if let Some(step) = Span::new(since, instant.min(reach.end())) {
            steps.push((step, power));
            since = step.end();
        }
        power = power + change;
    }
    steps.extend(Span::new(since, reach.end()).map(|step| (step, power)));
    steps
}

/// The changes over time of the largest of one id's alternatives.
fn largest(alternatives: &[&Booking], changes: &mut Vec<(Timestamp, Power)>) {
    let edges = alternatives.iter().flat_map(|it| [it.span.start(), it.span.end()]);
    let mut edges: Vec<Timestamp> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    let mut last = Power::ZERO;
    for edge in edges {
        let active = alternatives.iter().filter(|it| it.span.contains(edge));
        let power = active.map(|it| it.counted()).max().unwrap_or(Power::ZERO);
        changes.push((edge, power - last));
        last = power;
    }
}
