//! How much power the cap leaves beside what is reserved (constraint C3).

use std::collections::VecDeque;

use super::exclusion::Exclusion;
use crate::agenda::Agenda;
use crate::book::Booking;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Headroom as a step function.
pub(super) struct Headroom {
    steps: Vec<(Span, Power)>,
}

impl Headroom {
    /// The cap less `base` and the counted power of what is reserved, where the cap has a value.
    pub(super) fn new(cap: &Agenda<Power>, base: Power, reserved: &[(Span, Power)]) -> Self {
        let mut steps = Vec::with_capacity(reserved.len() + cap.pieces().len());
        for &(span, power) in reserved {
            for piece in cap.overlapping(span) {
                if let Some(both) = piece.span.intersection(span) {
                    steps.push((both, piece.value - base - power));
                }
            }
        }
        Self { steps }
    }

    /// Lookups over the spans of starts in time order.
    pub(super) const fn walk(&self) -> HeadroomWalk<'_> {
        HeadroomWalk { steps: self.steps.as_slice(), tightest: VecDeque::new(), next: 0 }
    }
}

/// The least headroom of spans that move forward in time.
pub(super) struct HeadroomWalk<'a> {
    steps: &'a [(Span, Power)],
    /// Steps that reach into the span, each tighter than those after it: the first is the tightest.
    tightest: VecDeque<usize>,
    next: usize,
}

impl HeadroomWalk<'_> {
    /// Whether `power` fits at every instant of `span`; if not, where the most is missing.
    pub(super) fn admit(&mut self, span: Span, power: Power) -> Result<(), Exclusion> {
        while self.next < self.steps.len() && self.steps[self.next].0.start() < span.end() {
            let headroom = self.steps[self.next].1;
            while self.tightest.back().is_some_and(|&step| self.steps[step].1 > headroom) {
                self.tightest.pop_back();
            }
            self.tightest.push_back(self.next);
            self.next += 1;
        }
        while self.tightest.front().is_some_and(|&step| self.steps[step].0.end() <= span.start()) {
            self.tightest.pop_front();
        }
        match self.tightest.front().map(|&step| self.steps[step]) {
            Some((step, headroom)) if headroom < power => {
                let span = step.intersection(span).unwrap_or(step);
                Err(Exclusion::PowerCap { missing: power - headroom, span })
            }
            _ => Ok(()),
        }
    }
}

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
