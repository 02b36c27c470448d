//! How much power the cap leaves beside what is reserved (constraint C3).

use std::collections::HashMap;

use super::exclusion::Exclusion;
use crate::agenda::Agenda;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Headroom as a step function over the reach of a request; absent where there is no cap value.
pub(super) struct Headroom {
    steps: Vec<(Span, Power)>,
}

impl Headroom {
    /// The cap less the reserved maximum power, over `reach`.
    pub(super) fn new(
        cap: &Agenda<Power>,
        nearby: &[&Booking],
        order: &NodeOrder,
        reach: Span,
    ) -> Self {
        let mut steps = Vec::new();
        for (span, reserved) in reserved_power(nearby, order, reach) {
            for piece in cap.overlapping(span) {
                if let Some(both) = piece.span.intersection(span) {
                    steps.push((both, piece.value - reserved));
                }
            }
        }
        Self { steps }
    }

    /// Whether `power` fits at every instant of `span`; if not, where the most is missing.
    pub(super) fn admit(&self, span: Span, power: Power) -> Result<(), Exclusion> {
        let first = self.steps.partition_point(|(step, _)| step.end() <= span.start());
        let tightest = self.steps[first..]
            .iter()
            .take_while(|(step, _)| step.start() < span.end())
            .min_by_key(|(_, headroom)| *headroom);
        match tightest {
            Some(&(step, headroom)) if headroom < power => {
                Err(Exclusion::PowerCap { missing: power - headroom, span: step })
            }
            _ => Ok(()),
        }
    }
}

/// The maximum power of all reserved nodes, step by step over `reach`.
fn reserved_power(nearby: &[&Booking], order: &NodeOrder, reach: Span) -> Vec<(Span, Power)> {
    let mut edges: Vec<Timestamp> = vec![reach.start(), reach.end()];
    edges.extend(nearby.iter().flat_map(|booking| [booking.span.start(), booking.span.end()]));
    edges.retain(|edge| (reach.start()..=reach.end()).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    edges
        .windows(2)
        .filter_map(|edges| Span::new(edges[0], edges[1]))
        .map(|step| {
            let active = nearby.iter().filter(|booking| booking.span.overlaps(step));
            (step, reserved_by(active.copied(), order))
        })
        .collect()
}

/// The reserved maximum power at an instant: of each reservation's alternatives the largest, and
/// a node that is reserved twice counts once.
fn reserved_by<'a>(active: impl Iterator<Item = &'a Booking>, order: &NodeOrder) -> Power {
    let mut largest: HashMap<&str, (Power, &NodeSet)> = HashMap::new();
    for booking in active {
        let power = order.max_power(&booking.ranks);
        let entry = largest.entry(&booking.id).or_insert((power, &booking.ranks));
        if power > entry.0 {
            *entry = (power, &booking.ranks);
        }
    }
    let ranges = largest.values().flat_map(|(_, ranks)| ranks.ranges().iter().cloned());
    order.max_power(&NodeSet::from_ranges(ranges.collect()))
}
