//! Plans of power actions against brute force, on random small problems.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many problems are planned, 10,000 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod cases;
mod power;

use std::cell::RefCell;

use planner::criterion::Criterion;
use planner::power_plan::{PowerPlan, plan_power};

use power::oracle::{Oracle, worth};
use power::sketch::{self, PowerSketch};

/// Where rules of single nodes bind, nothing beats the plan in the order in which the site ranks criteria, and it is of the
/// same worth as the best by brute force.
#[test]
fn agrees_with_brute_force_where_rules_of_single_nodes_bind() {
    cases::for_every(cases::cases() / 5, sketch::single(), |sketch: &PowerSketch| {
        let problem = sketch.problem();
        let plan = plan_power(&problem, &|| false).unwrap();
        let oracle = Oracle::new(&problem);
        oracle.check(&plan);
        oracle.check_begun(&plan, true);
        let planned = oracle.worth_of(&plan);
        let best = oracle.best_of_each(&plan);
        assert_eq!(planned, best, "{plan:?}");
    });
}

/// Where nodes depend on each other, the plan holds every rule, and saves most of what could be saved at the best.
#[test]
fn saves_most_of_the_best_where_nodes_depend_on_each_other() {
    let shares: RefCell<Vec<f64>> = RefCell::default();
    cases::for_every(cases::cases() / 20, sketch::coupled(), |sketch: &PowerSketch| {
        let problem = sketch.problem();
        let plan: PowerPlan = plan_power(&problem, &|| false).unwrap();
        let oracle = Oracle::new(&problem);
        oracle.check(&plan);
        oracle.check_begun(&plan, false);
        let energy = |key: [i128; 3]| worth(&problem, key, Criterion::Energy);
        let (planned, best) = (energy(oracle.worth_of(&plan)), energy(oracle.best_together(&plan)));
        assert!(planned <= best, "{planned} J of at most {best} J: {plan:?}");
        if best > 0 {
            shares.borrow_mut().push(planned as f64 / best as f64);
        }
    });
    let mut shares = shares.into_inner();
    shares.sort_unstable_by(f64::total_cmp);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let percentile = |percent: usize| shares[shares.len() * percent / 100];
    println!(
        "of the best in {} cases: mean {mean:.4}, least {:.3}, 1 % {:.3}, 5 % {:.3}",
        shares.len(),
        shares[0],
        percentile(1),
        percentile(5)
    );
    assert!(mean > 0.95 && percentile(5) > 0.75, "mean {mean}");
}
