//! Whether outcome, candidates and reasons add up.

use std::collections::BTreeSet;

use super::{Place, Start, Violation};
use crate::agenda::Agenda;
use crate::decision::Decision;
use crate::problem::{PlanningProblem, SearchMode};
use crate::time::Span;

pub(super) fn judge(
    problem: &PlanningProblem,
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    judge_outcome(decision, violations);
    judge_soonest(decision, starts, violations);
    let (stated, derived) = (decision.candidate_starts, candidates(problem));
    if stated != derived {
        violations.push(Violation::WrongCandidateCount { stated, derived });
    }
    judge_reasons(decision, starts, violations);
}

/// Something is feasible exactly when there are offers, a first start and a front.
fn judge_outcome(decision: &Decision, violations: &mut Vec<Violation>) {
    let soonest = usize::from(decision.as_soon_as_possible.is_some());
    let front = decision.pareto.len();
    let feasible = !decision.offers().is_empty();
    if feasible != (soonest > 0) || feasible != (front > 0) {
        let outcome = decision.word();
        violations.push(Violation::OutcomeContradicted { outcome, soonest, front });
    }
}

fn judge_soonest(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    let Some(soonest) = &decision.as_soon_as_possible else { return };
    let sooner = starts.iter().filter(|(_, offer)| offer.span.start() < soonest.span.start());
    violations.extend(sooner.map(|&(place, _)| Violation::SoonerThanPossible { place }));
}

fn judge_reasons(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    let reasons = &decision.reasons;
    let in_order = reasons.is_sorted_by(|left, right| left.code < right.code);
    if !in_order || reasons.iter().any(|reason| reason.excluded_starts == 0) {
        violations.push(Violation::ReasonsUnsorted);
    }
    let excluded: u64 = reasons.iter().map(|reason| reason.excluded_starts).sum();
    let candidates = decision.candidate_starts;
    // Outside the front there may be more feasible starts, but then there are some on it.
    let seen: BTreeSet<_> = starts
        .iter()
        .filter(|(place, _)| matches!(place, Place::Pareto(_)))
        .map(|(_, offer)| offer.span.start())
        .collect();
    let feasible = seen.len() as u64;
    let adds = match feasible {
        0 => excluded == candidates,
        _ => excluded + feasible <= candidates,
    };
    if !adds {
        violations.push(Violation::ReasonsDoNotAdd { excluded, candidates, feasible });
    }
}

/// How many starts a search has to look at.
fn candidates(problem: &PlanningProblem) -> u64 {
    let request = &problem.request;
    let first = request.earliest_start.max(problem.now).as_unix_seconds();
    let last = request.latest_start.as_unix_seconds();
    if last < first {
        return 0;
    }
    match problem.search {
        SearchMode::Slots { slot } => {
            let multiples_below = |instant: i64| instant.div_euclid(slot.get());
            // From the first multiple at or after `first` to the last one at or before `last`.
            u64::try_from(multiples_below(last) - multiples_below(first - 1)).unwrap_or(0)
        }
        SearchMode::Exact => candidate_seconds(problem, first, last).len() as u64,
    }
}

/// Both ends of the window, and the seconds around every breakpoint and around those shifted by
/// the duration.
fn candidate_seconds(problem: &PlanningProblem, first: i64, last: i64) -> BTreeSet<i64> {
    let duration = problem.request.duration.get();
    let mut seconds = BTreeSet::from([first, last]);
    for span in breakpoint_spans(problem) {
        for edge in [span.start().as_unix_seconds(), span.end().as_unix_seconds()] {
            for near in [edge - 1, edge, edge + 1] {
                seconds.extend([near, near - duration]);
            }
        }
    }
    seconds.retain(|second| (first..=last).contains(second));
    seconds
}

fn breakpoint_spans(problem: &PlanningProblem) -> impl Iterator<Item = Span> + '_ {
    let agendas = &problem.agendas;
    let price = agendas.price.agenda().pieces().iter().map(|piece| piece.span);
    let co2 = agendas.co2.agenda().pieces().iter().map(|piece| piece.span);
    let cap = agendas.power_cap.iter().flat_map(Agenda::pieces).map(|piece| piece.span);
    let reservations = problem.reservations.iter().map(|entry| entry.span);
    price.chain(co2).chain(cap).chain(reservations)
}
