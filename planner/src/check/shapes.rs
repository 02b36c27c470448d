//! The shapes of a request, and when each may start.

use std::sync::Arc;

use super::Violation;
use super::service::Eligible;
use super::violation::Place;
use crate::decision::Offer;
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::MILLION;
use crate::request::{MAX_DURATION, Shape};
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

/// A shape as it may be run: in a slower state, or at full speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// The nodes, and for how long they are reserved.
    pub(super) shape: Shape,
    /// The name of the state, and how many seconds longer it takes in it.
    pub(super) state: Option<(Arc<str>, i64)>,
}

/// All ways to run the request: its shapes at full speed, then in each state that it allows and that enough nodes
/// have.
pub(super) fn ways(problem: &PlanningProblem) -> Vec<Way> {
    let request = &problem.request;
    let mut ways: Vec<Way> = request.shapes().map(|shape| Way { shape, state: None }).collect();
    let states = problem.nodes.slower_states().states().iter().enumerate();
    for (index, state) in states.filter(|(_, state)| state.speed >= request.slowest_speed) {
        let eligible = Eligible::of(problem);
        let has =
            |node: &u32| eligible.contains(*node) && problem.nodes.in_state(index, *node).is_some();
        let nodes = (0..problem.nodes.count()).filter(has).count();
        for shape in request.shapes() {
            let full = shape.duration.get();
            // The least whole number of seconds in which as much is computed.
            let speed = state.speed.as_millionths();
            let seconds =
                (full * MILLION).div_euclid(speed) + i64::from((full * MILLION) % speed > 0);
            let duration = Seconds::new(seconds);
            let written = request.latest_start + duration <= Timestamp::MAX;
            if nodes >= shape.nodes as usize && duration <= MAX_DURATION && written {
                let state = Some((Arc::clone(&state.name), seconds - full));
                ways.push(Way { shape: Shape { duration, ..shape }, state });
            }
        }
    }
    ways
}

/// The way in which an offer says that it is run.
pub(super) fn way_of(offer: &Offer) -> Way {
    let (nodes, duration) = (offer.ranks.count(), offer.span.length());
    let slowing = offer.slowing.as_ref();
    let state = slowing.map(|it| (Arc::clone(&it.state.name), it.later.get()));
    Way { shape: Shape { nodes, duration }, state }
}

/// The position of an offer's way among all, the first of equal ones.
pub(super) fn position(problem: &PlanningProblem, offer: &Offer) -> Option<usize> {
    let stated = way_of(offer);
    ways(problem).iter().position(|way| *way == stated)
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
