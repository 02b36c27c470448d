//! Which starts a search looks at.

use planner::agenda::Agenda;
use planner::problem::PlanningProblem;
use planner::ranking::Ranking;
use planner::time::Span;

use super::steps::steps_survived;
use super::{Candidate, Feasible, ways, window};

/// All seconds of all shapes' windows, as (start, shape), by start, then shape.
pub fn every_second(problem: &PlanningProblem) -> Vec<(i64, usize)> {
    let mut all = Vec::new();
    for (shape, it) in ways(problem).iter().enumerate() {
        let (first, last) = window(problem, it.shape.duration.get());
        all.extend((first..=last).map(|second| (second, shape)));
    }
    all.sort_unstable();
    all
}

/// The multiples of the slot among them.
pub fn slots(problem: &PlanningProblem, slot: i64) -> Vec<(i64, usize)> {
    every_second(problem).into_iter().filter(|(second, _)| second % slot == 0).collect()
}

/// Of all seconds those at an end of their shape's window, next to an edge, or such that the
/// reservation ends next to an edge.
pub fn near_breakpoints(problem: &PlanningProblem, all: &[Candidate]) -> Vec<bool> {
    let edges = edges(problem);
    let durations: Vec<i64> = ways(problem).iter().map(|it| it.shape.duration.get()).collect();
    let near = |it: &Candidate| {
        let duration = durations[it.shape];
        let (first, last) = window(problem, duration);
        let beside = |instant: i64| edges.iter().any(|edge| (edge - instant).abs() <= 1);
        it.start == first || it.start == last || beside(it.start) || beside(it.start + duration)
    };
    all.iter().map(near).collect()
}

fn edges(problem: &PlanningProblem) -> Vec<i64> {
    let mut edges = Vec::new();
    let mut add = |span: Span| {
        edges.extend([span.start().as_unix_seconds(), span.end().as_unix_seconds()]);
    };
    problem.agendas.price.agenda().pieces().iter().for_each(|piece| add(piece.span));
    problem.agendas.co2.agenda().pieces().iter().for_each(|piece| add(piece.span));
    problem.agendas.power_cap.iter().flat_map(Agenda::pieces).for_each(|it| add(it.span));
    problem.reservations.iter().for_each(|entry| add(entry.span));
    problem.outages.iter().for_each(|outage| add(outage.span));
    edges
}

/// Of all seconds those beside which a step of a ranking stops keeping or begins to: two feasible
/// neighbours of one shape that do not survive equally many steps.
pub fn crossings(problem: &PlanningProblem, all: &[Candidate]) -> Vec<bool> {
    let mut crossings = vec![false; all.len()];
    let tolerances = &problem.request.tolerances;
    if tolerances.is_none() {
        return crossings;
    }
    let mut places: Vec<usize> = (0..all.len()).filter(|&at| all[at].verdict.is_ok()).collect();
    places.sort_unstable_by_key(|&at| (all[at].shape, all[at].start));
    let feasible: Vec<Feasible> = places
        .iter()
        .map(|&at| Feasible { shape: all[at].shape, start: all[at].verdict.clone().unwrap() })
        .collect();
    for ranking in Ranking::ALL {
        let survived = steps_survived(ranking, tolerances, &feasible);
        for second in 1..places.len() {
            let [left, right] = [places[second - 1], places[second]];
            let neighbours =
                all[left].shape == all[right].shape && all[left].start + 1 == all[right].start;
            if neighbours && survived[second - 1] != survived[second] {
                crossings[left] = true;
                crossings[right] = true;
            }
        }
    }
    crossings
}
