//! The judge against outcomes, candidates and reasons that do not add up.

use planner::check::{Place, Violation};
use planner::decision::{Decision, Outcome, Reason};
use planner::problem::{PlanningProblem, SearchMode};
use planner::search::plan_problem;
use planner::time::Seconds;

use super::build::*;
use super::corrupted_starts::{assert_violates, violations};

fn corrupt(problem: &PlanningProblem, corruption: impl FnOnce(&mut Decision)) -> Vec<Violation> {
    let (order, mut decision) = planned(problem);
    corruption(&mut decision);
    violations(problem, &order, &decision)
}

/// Of seven starts on the half hour three lack a price: 1:30, 2:00 and 2:30.
fn with_a_gap() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[10], 3);
    problem.search = SearchMode::Slots { slot: Seconds::new(HOUR / 2) };
    problem.request.duration = Seconds::new(HOUR);
    problem.agendas.price = prices(&[(0, 2, 50.0), (3, 24, 20.0)]);
    problem
}

fn no_nodes() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[10], 3);
    problem.request.nodes = 2;
    problem
}

#[test]
fn catches_a_first_start_that_is_not_the_first() {
    let found = corrupt(&six_trade_offs(), |decision| {
        decision.as_soon_as_possible = Some(decision.offers()[1].clone());
    });
    assert_violates!(found.clone(), Violation::SoonerThanPossible { place: Place::Offer(0) });
    assert_violates!(found, Violation::WrongValue { quantity: "saved cost", .. });
}

#[test]
fn catches_an_impossibility_that_is_none() {
    let found = corrupt(&six_trade_offs(), |decision| decision.outcome = Outcome::Impossible);
    assert_violates!(found, Violation::OutcomeContradicted { outcome: "impossible", .. });
    let found = corrupt(&six_trade_offs(), |decision| {
        decision.outcome = Outcome::Impossible;
        decision.as_soon_as_possible = None;
        decision.pareto.clear();
    });
    assert_violates!(found, Violation::ReasonsDoNotAdd { excluded: 0, candidates: 6, feasible: 0 });
}

#[test]
fn catches_a_missing_first_start() {
    let found = corrupt(&six_trade_offs(), |decision| decision.as_soon_as_possible = None);
    assert_violates!(found, Violation::OutcomeContradicted { soonest: 0, front: 6, .. });
}

#[test]
fn catches_a_miscounted_candidate_in_both_modes() {
    let mut problem = six_trade_offs();
    for mode in [problem.search, SearchMode::Exact] {
        problem.search = mode;
        let found = corrupt(&problem, |decision| decision.candidate_starts += 1);
        assert_violates!(found, Violation::WrongCandidateCount { stated, derived }
            if *stated == derived + 1);
    }
}

#[test]
fn catches_a_start_excluded_and_feasible_at_once() {
    let found = corrupt(&with_a_gap(), |decision| decision.reasons[0].excluded_starts = 6);
    assert_violates!(found, Violation::ReasonsDoNotAdd { excluded: 6, .. });
}

#[test]
fn catches_an_impossibility_whose_reasons_do_not_cover_every_start() {
    let found = corrupt(&no_nodes(), |decision| decision.reasons[0].excluded_starts -= 1);
    let (excluded, candidates, feasible) = (3, 4, 0);
    assert_eq!(found, [Violation::ReasonsDoNotAdd { excluded, candidates, feasible }]);
}

#[test]
fn catches_a_reason_that_excludes_nothing_or_is_out_of_order() {
    let reason = plan_problem(&no_nodes()).1.reasons.remove(0);
    let found = corrupt(&no_nodes(), |decision| {
        decision.reasons.insert(0, Reason { excluded_starts: 0, ..reason.clone() });
    });
    assert_eq!(found, [Violation::ReasonsUnsorted]);
    let found = corrupt(&no_nodes(), |decision| {
        decision.reasons[0].excluded_starts = 3;
        decision.reasons.push(Reason { excluded_starts: 1, ..reason.clone() });
    });
    assert_eq!(found, [Violation::ReasonsUnsorted]);
    let found = corrupt(&with_a_gap(), |decision| {
        decision.reasons.insert(0, Reason { excluded_starts: 1, ..reason });
    });
    assert_violates!(found, Violation::ReasonsUnsorted);
}
