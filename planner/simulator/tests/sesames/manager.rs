//! Months of the paper under the manager of the nodes' power.

use simulator::sesames::{CountIdleEnergy, Manager, ManagerParameters};

use super::*;

fn managed(manager: ManagerParameters) -> Parameters {
    let arrival = Arrival::AtEarliestStart;
    Parameters { arrival, runs: 1, requests: 30, manager, ..small() }
}

fn sleeping() -> ManagerParameters {
    ManagerParameters { manager: Manager::Sleep, ..ManagerParameters::default() }
}

/// What is booked is the same with and without a manager; only what is told of nodes' power is more.
#[test]
fn the_manager_changes_no_booking() {
    let policies = [Policy::AsapFirst, cost_co2_energy()];
    let of = |manager: ManagerParameters| {
        judged(&cell(&managed(manager), &Inputs::default(), &policies)).remove(0)
    };
    let (mut with, without) = (of(sleeping()), of(ManagerParameters::default()));
    for played in &mut with.policies {
        let power = played.managed.take().unwrap();
        let [saved, of_oracle] = [power.saved_share()[0], power.of_oracle()[0]].map(Option::unwrap);
        assert!((0.5..0.9).contains(&saved), "{saved}");
        assert!((0.9..=1.0).contains(&of_oracle), "{of_oracle}");
    }
    assert_eq!(with, without);
}

/// Every plan is judged with what it counts of idle energy. As soon as possible books as ever; the others book otherwise, and
/// what is booked and what idles take less energy together.
#[test]
fn offers_of_a_month_may_count_idle_energy() {
    let energy: Policy = "energy_cost_co2".parse().unwrap();
    let of = |count_idle_energy| {
        let manager = ManagerParameters { count_idle_energy, ..sleeping() };
        // Small requests, so that all are booked either way.
        let parameters = Parameters { max_request_percent: 20.0, ..managed(manager) };
        let cell = cell(&parameters, &Inputs::default(), &[Policy::AsapFirst, energy]);
        judged(&cell).remove(0)
    };
    let taken = |run: &PlayedRun| {
        let booked = reservations(run, energy).into_iter().flatten();
        let booked: f64 = booked.map(|it| it.billed.energy_j).sum();
        booked + run.policy(energy).unwrap().managed.unwrap().managed.energy_j
    };
    let without = of(CountIdleEnergy::No);
    for count in [CountIdleEnergy::LeastDraw, CountIdleEnergy::LongGaps] {
        let with = of(count);
        assert_eq!(with.policy(Policy::AsapFirst), without.policy(Policy::AsapFirst));
        assert_ne!(reservations(&with, energy), reservations(&without, energy), "{count:?}");
        assert!(taken(&with) < taken(&without), "{count:?}: {} {}", taken(&with), taken(&without));
    }
}

/// The oracle as the manager saves what it saves beside the manager, and no node is late.
#[test]
fn the_oracle_may_be_the_manager() {
    let of = |manager| {
        let manager = ManagerParameters { manager, ..sleeping() };
        let runs = judged(&cell(&managed(manager), &Inputs::default(), &[Policy::AsapFirst]));
        runs[0].policies[0].managed.unwrap()
    };
    let (best, beside) = (of(Manager::Oracle), of(Manager::Sleep));
    assert_eq!((best.managed, best.oracle), (beside.oracle, beside.oracle));
    assert!(best.late_nodes < 0.5 && beside.late_nodes > 0.5 && best.sleeps > 0.5);
}

/// A document without a manager names no parameter of it; one with it names all, and is read as it was written.
#[test]
fn parameters_of_the_manager_are_recorded_where_there_is_one() {
    let none = serde_json::to_value(managed(ManagerParameters::default())).unwrap();
    assert_eq!((none.get("manager"), none.get("keep_warm")), (None, None));
    let parameters = managed(sleeping());
    let some = serde_json::to_value(&parameters).unwrap();
    assert_eq!(some["manager"], "sleep");
    assert_eq!((&some["rank_by"], &some["keep_warm"]), (&"energy_cost_co2".into(), &0.into()));
    assert_eq!(serde_json::from_value::<Parameters>(some).unwrap(), parameters);
    let wrong = serde_json::json!({"manager": "sleep", "rank_by": "cost_cost"});
    assert!(serde_json::from_value::<Parameters>(wrong).is_err());
    let unknown = serde_json::json!({"manager": "sleep", "keep_cool": 1});
    assert!(serde_json::from_value::<Parameters>(unknown).is_err());
}

/// The more often boots fail, the more node-time bookings lose or wait for; a month without failures loses none.
#[test]
fn failures_of_boots_are_counted() {
    let lost = |boot_failure_percent| {
        let manager = ManagerParameters { boot_failure_percent, ..sleeping() };
        let cell = cell(&managed(manager), &Inputs::default(), &[cost_co2_energy()]);
        let summary = Summary::of(&cell, &judged(&cell));
        let manager = summary.policy(cost_co2_energy()).unwrap().manager.unwrap().0;
        (manager.boot_failures, manager.lost_node_s)
    };
    assert_eq!(lost(0.0), (0.0, 0.0));
    let (some, many) = (lost(5.0), lost(50.0));
    assert!(some.0 > 0.0 && many.0 > some.0 && many.1 > some.1, "{some:?} {many:?}");
}
