//! The shapes of a request, and when each may start.

use super::Violation;
use super::violation::Place;
use crate::decision::Offer;
use crate::problem::{PlanningProblem, SearchMode};
use crate::request::Shape;
use crate::time::{Seconds, Timestamp};

/// First and last instant at which a reservation of that length may start, where there is one.
pub(super) fn window(
    problem: &PlanningProblem,
    duration: Seconds,
) -> Option<(Timestamp, Timestamp)> {
    let request = &problem.request;
    let first = request.earliest_start.max(problem.now);
    let in_time = request.latest_end.map(|end| end - duration);
    let last = in_time.into_iter().fold(request.latest_start, Timestamp::min);
    (first <= last).then_some((first, last))
}

/// Whether an instant may be a start by the search mode: in slots only the multiples of their length.
pub(super) fn is_candidate_instant(problem: &PlanningProblem, start: Timestamp) -> bool {
    match problem.search {
        SearchMode::Slots { slot } => start.as_unix_seconds().rem_euclid(slot.get()) == 0,
        SearchMode::Exact => true,
    }
}

/// The position of an offer's shape among the request's, the first of equal ones.
pub(super) fn position(problem: &PlanningProblem, offer: &Offer) -> Option<usize> {
    let (nodes, duration) = (offer.ranks.count(), offer.span.length());
    problem.request.shapes().position(|shape| shape == Shape { nodes, duration })
}

pub(super) fn judge(
    problem: &PlanningProblem,
    place: Place,
    offer: &Offer,
    violations: &mut Vec<Violation>,
) {
    if position(problem, offer).is_none() {
        let (nodes, length) = (offer.ranks.count(), offer.span.length());
        violations.push(Violation::WrongShape { place, nodes, length });
    }
}
