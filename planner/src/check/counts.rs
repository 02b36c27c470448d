//! Whether outcome, candidates and reasons add up.

use super::shapes::{position, window};
use super::{Start, Violation, candidates};
use crate::decision::{Decision, Reason, ReasonCode};
use crate::problem::PlanningProblem;

pub(super) fn judge(
    problem: &PlanningProblem,
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    judge_outcome(decision, violations);
    judge_soonest(problem, decision, starts, violations);
    let (stated, derived) = (decision.candidate_starts, candidates::count(problem));
    if !derived.contains(&stated) {
        let derived = if stated < *derived.start() { *derived.start() } else { *derived.end() };
        violations.push(Violation::WrongCandidateCount { stated, derived });
    }
    judge_reasons(decision, violations);
    judge_no_slot(problem, decision, violations);
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

fn judge_soonest(
    problem: &PlanningProblem,
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    let Some(soonest) = &decision.as_soon_as_possible else { return };
    let first = (soonest.span.start(), position(problem, soonest));
    let sooner =
        starts.iter().filter(|(_, offer)| (offer.span.start(), position(problem, offer)) < first);
    violations.extend(sooner.map(|&(place, _)| Violation::SoonerThanPossible { place }));
}

fn judge_reasons(decision: &Decision, violations: &mut Vec<Violation>) {
    let reasons = &decision.reasons;
    let in_order = reasons.is_sorted_by(|left, right| left.code < right.code);
    let says_something = |it: &Reason| it.excluded_starts > 0 || it.code == ReasonCode::NoSlot;
    if !in_order || !reasons.iter().all(says_something) {
        violations.push(Violation::ReasonsUnsorted);
    }
    let excluded: u64 = reasons.iter().map(|reason| reason.excluded_starts).sum();
    let candidates = decision.candidate_starts;
    // Outside the front there may be more feasible starts, but then there are some on it.
    let feasible = decision.pareto.len() as u64;
    let adds = match feasible {
        0 => excluded == candidates,
        _ => excluded + feasible <= candidates,
    };
    if !adds {
        violations.push(Violation::ReasonsDoNotAdd { excluded, candidates, feasible });
    }
}

/// Where there is no start to look at, though there is a window, it is said that it has no slot; and only there.
fn judge_no_slot(problem: &PlanningProblem, decision: &Decision, violations: &mut Vec<Violation>) {
    let stated = decision.reasons.iter().any(|reason| reason.code == ReasonCode::NoSlot);
    let has_window =
        problem.request.shapes().any(|shape| window(problem, shape.duration).is_some());
    let derived = has_window && *candidates::count(problem).end() == 0;
    if stated != derived {
        violations.push(Violation::NoSlotContradicted { stated });
    }
}
