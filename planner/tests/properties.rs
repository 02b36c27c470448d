//! The search against brute force and the judge, on random small problems in both modes.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many problems each mode plans, 10,000 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod oracle;
mod sketch;
mod tally;

use std::cell::RefCell;
use std::sync::Arc;

use planner::check::{check, check_preferring};
use planner::decision::Decision;
use planner::order::{NodeOrder, Preference};
use planner::problem::PlanningProblem;
use planner::search::{PlanningView, plan, plan_problem};
use planner::selection::Selection;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

use sketch::Sketch;
use tally::Tally;

#[test]
fn agrees_with_brute_force_on_slots() {
    for_every(sketch::slotted(), |sketch, tally| {
        compare(sketch, tally);
    });
}

#[test]
fn agrees_with_brute_force_to_the_second() {
    for_every(sketch::exact(), |sketch, tally| {
        let (problem, order, decision) = compare(sketch, tally);
        let every_second = oracle::decide_every_second(&problem, Preference::LeastDraw);
        every_second.assert_offers_are(&order, &decision);
    });
}

fn compare(sketch: &Sketch, tally: &mut Tally) -> (PlanningProblem, Arc<NodeOrder>, Decision) {
    let problem = sketch.problem();
    let (order, decision) = plan_problem(&problem);
    let oracle = oracle::decide(&problem, Preference::LeastDraw);
    oracle.assert_is(&order, &decision);
    assert_eq!(check(&problem, &order, &decision), Ok(()));
    tally.count(&problem, &oracle);
    if sketch.first_listed {
        let (order, decision) = plan_first_listed(&problem);
        let baseline = oracle::decide(&problem, Preference::FirstListed);
        baseline.assert_is(&order, &decision);
        let verdict = check_preferring(&problem, Preference::FirstListed, &order, &decision);
        assert_eq!(verdict, Ok(()));
        tally.count_baseline(&oracle, &baseline);
    }
    (problem, order, decision)
}

fn plan_first_listed(problem: &PlanningProblem) -> (Arc<NodeOrder>, Decision) {
    let utilisation = problem.request.utilisation_or_full();
    let order = NodeOrder::new(&problem.nodes, Preference::FirstListed, utilisation);
    let selection = Selection::all(Arc::new(order));
    let book = problem.book(&selection);
    let view = PlanningView::of(problem, &selection, &book);
    let decision = plan(&view, &problem.request, &|| false).unwrap();
    (Arc::clone(selection.order()), decision)
}

/// Runs `property` on as many problems as asked for; enough of them have every class in them.
fn for_every(problems: impl Strategy<Value = Sketch>, property: impl Fn(&Sketch, &mut Tally)) {
    const ENOUGH: u32 = 5_000;
    let cases = match std::env::var("WATTBOOK_PROPERTY_CASES") {
        Ok(cases) => cases.parse().expect("WATTBOOK_PROPERTY_CASES is a number"),
        Err(_) => 10_000,
    };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let tally = RefCell::new(Tally::default());
    let outcome = TestRunner::new(config).run(&problems, |sketch| {
        property(&sketch, &mut tally.borrow_mut());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let tally = tally.into_inner();
    println!("{tally}");
    if cases >= ENOUGH {
        assert_eq!(tally.missing(), Vec::<&str>::new(), "classes that no problem was of");
    }
}
