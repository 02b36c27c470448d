//! The search against brute force and the judge, on random small problems in both modes.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many problems each mode plans, 10,000 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod cases;
mod oracle;
mod sketch;
mod tally;

use std::cell::RefCell;
use std::sync::Arc;

use planner::check::{check, check_preferring};
use planner::decision::Decision;
use planner::order::{NodeOrder, Preference};
use planner::problem::{PlanningProblem, SearchMode};
use planner::search::{PlanningView, plan, plan_problem};
use planner::selection::Selection;
use planner::slower_states::Speed;
use proptest::prelude::*;

use oracle::{Oracle, OracleDecision};
use sketch::Sketch;
use tally::Tally;

#[test]
fn agrees_with_brute_force_on_slots() {
    tallied(sketch::slotted(), compare);
}

#[test]
fn agrees_with_brute_force_to_the_second() {
    tallied(sketch::exact(), compare);
}

#[test]
fn agrees_with_brute_force_on_many_nodes() {
    cases::for_every(cases::cases() / 10, sketch::crowded(), |sketch| {
        compare(&sketch.problem(), true, &mut Tally::default());
    });
}

fn compare(problem: &PlanningProblem, first_listed: bool, tally: &mut Tally) {
    assert_eq!(problem.request.errors(problem.now), []);
    let (order, decision) = plan_problem(problem);
    let oracle = agreed(problem, Preference::LeastDraw, &order, &decision);
    assert_eq!(check(problem, &order, &decision), Ok(()));
    tally.count(problem, &oracle);
    let full_speed = problem.request.slowest_speed == Speed::FULL;
    let full_speed = full_speed || problem.nodes.slower_states().states().is_empty();
    if first_listed && problem.request.filter.is_empty() && full_speed {
        let (order, decision) = plan_first_listed(problem);
        let baseline = agreed(problem, Preference::FirstListed, &order, &decision);
        let verdict = check_preferring(problem, Preference::FirstListed, &order, &decision);
        assert_eq!(verdict, Ok(()));
        tally.count_baseline(&oracle, &baseline);
    }
}

/// What brute force decides, which is what was decided.
fn agreed(
    problem: &PlanningProblem,
    preference: Preference,
    order: &NodeOrder,
    decision: &Decision,
) -> OracleDecision {
    let oracle = Oracle::of(problem, preference);
    let decided = oracle.decide();
    decided.assert_is(order, decision);
    oracle.assert_reasons_bind(&decided, decision);
    if problem.search == SearchMode::Exact {
        oracle.decide_every_second().assert_offers_are(order, decision);
    }
    decided
}

fn plan_first_listed(problem: &PlanningProblem) -> (Arc<NodeOrder>, Decision) {
    let utilisation = problem.request.utilisation_or_full();
    let (nodes, scope) = (&problem.nodes, problem.cap_scope);
    let order = NodeOrder::of(nodes, Preference::FirstListed, utilisation, scope, |_| true);
    let selection = Selection::all(Arc::new(order));
    let book = problem.book(&selection);
    let view = PlanningView::of(problem, &selection, &book);
    let decision = plan(&view, &problem.request, &|| false).unwrap();
    (Arc::clone(selection.order()), decision)
}

/// Tries `property` on as many problems as asked for, a fifth of them for the first nodes listed
/// too; enough of them have every class in them.
fn tallied(
    problems: impl Strategy<Value = Sketch>,
    property: impl Fn(&PlanningProblem, bool, &mut Tally),
) {
    const ENOUGH: u32 = 5_000;
    let tally = RefCell::new(Tally::default());
    let problems = (problems, prop::bool::weighted(0.2));
    cases::for_every(cases::cases(), problems, |(sketch, first_listed)| {
        property(&sketch.problem(), *first_listed, &mut tally.borrow_mut());
    });
    let tally = tally.into_inner();
    println!("{tally}");
    if cases::cases() >= ENOUGH {
        assert_eq!(tally.missing(), Vec::<&str>::new(), "classes that no problem was of");
    }
}
