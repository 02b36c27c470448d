//! How many starts a search has to look at.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::shapes::{ways, window};
use crate::agenda::Agenda;
use crate::problem::{PlanningProblem, SearchMode};
use crate::time::{Seconds, Span};

/// The number of candidates over all shapes. With tolerances the exact mode looks at more than the
/// seconds around breakpoints, namely where values cross what is tolerated: at most at every second.
pub(super) fn count(problem: &PlanningProblem) -> RangeInclusive<u64> {
    let over_shapes = |count: &dyn Fn(Seconds) -> u64| -> u64 {
        ways(problem).iter().map(|way| count(way.shape.duration)).sum()
    };
    let (least, every_second) = match problem.search {
        SearchMode::Slots { slot } => {
            let slots = over_shapes(&|duration| slots(problem, duration, slot));
            (slots, slots)
        }
        SearchMode::Exact => (
            over_shapes(&|duration| near_breakpoints(problem, duration)),
            over_shapes(&|duration| slots(problem, duration, Seconds::ONE)),
        ),
    };
    least..=if problem.request.tolerances.is_none() { least } else { every_second }
}

/// From the first multiple of the slot in the window to the last one.
fn slots(problem: &PlanningProblem, duration: Seconds, slot: Seconds) -> u64 {
    let Some((first, last)) = window(problem, duration) else { return 0 };
    let multiples_below = |instant: i64| instant.div_euclid(slot.get());
    let (first, last) = (first.as_unix_seconds(), last.as_unix_seconds());
    u64::try_from(multiples_below(last) - multiples_below(first - 1)).unwrap_or(0)
}

/// Both ends of the window, and the seconds around every breakpoint and around those shifted by
/// the duration.
fn near_breakpoints(problem: &PlanningProblem, duration: Seconds) -> u64 {
    let Some((first, last)) = window(problem, duration) else { return 0 };
    let (first, last) = (first.as_unix_seconds(), last.as_unix_seconds());
    let mut seconds = BTreeSet::from([first, last]);
    for span in breakpoint_spans(problem) {
        for edge in [span.start().as_unix_seconds(), span.end().as_unix_seconds()] {
            for near in [edge - 1, edge, edge + 1] {
                seconds.extend([near, near - duration.get()]);
            }
        }
    }
    seconds.retain(|second| (first..=last).contains(second));
    seconds.len() as u64
}

fn breakpoint_spans(problem: &PlanningProblem) -> impl Iterator<Item = Span> + '_ {
    let agendas = &problem.agendas;
    let price = agendas.price.agenda().pieces().iter().map(|piece| piece.span);
    let co2 = agendas.co2.agenda().pieces().iter().map(|piece| piece.span);
    let cap = agendas.power_cap.iter().flat_map(Agenda::pieces).map(|piece| piece.span);
    let reservations = problem.reservations.iter().map(|entry| entry.span);
    let outages = problem.outages.iter().map(|outage| outage.span);
    price.chain(co2).chain(cap).chain(reservations).chain(outages)
}
