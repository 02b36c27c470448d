//! The judge against starts and reasons that break what a request or a site adds.

use planner::cap_scope::CapScope;
use planner::check::{Place, Violation};
use planner::decision::{Binding, Decision, Outcome, ReasonCode, Shortage};
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::Power;
use planner::request::Shape;
use planner::time::{Seconds, Span};
use planner::tolerance::Tolerance;

use super::build::*;
use super::corrupted_starts::{assert_violates, violations};
use super::site::{idling, labelled, out};

/// Plans one problem and judges the plan by what it has become since.
fn changed(
    mut problem: PlanningProblem,
    change: impl FnOnce(&mut PlanningProblem),
) -> Vec<Violation> {
    let (order, decision) = planned(&problem);
    change(&mut problem);
    violations(&problem, &order, &decision)
}

fn corrupted(problem: &PlanningProblem, corruption: impl FnOnce(&mut Decision)) -> Vec<Violation> {
    let (order, mut decision) = planned(problem);
    corruption(&mut decision);
    violations(problem, &order, &decision)
}

#[test]
fn catches_a_node_excluded_by_name() {
    let found = changed(labelled(), |problem| problem.request.filter.exclude = vec!["n0".into()]);
    assert_violates!(found.clone(), Violation::NodeLeftOut { place: Place::Offer(0), node: 0 });
    assert_violates!(found, Violation::NodeLeftOut { place: Place::Pareto(0), node: 0 });
}

#[test]
fn catches_an_order_of_nodes_that_labels_do_not_admit() {
    let mut problem = labelled();
    problem.request.filter.partition = Some("batch".into());
    let admitted = changed(problem.clone(), |problem| {
        problem.request.filter.partition = None;
        problem.request.filter.features = vec!["gpu".into()];
    });
    assert_eq!(admitted, [Violation::ForeignOrder { ordered: 2, nodes: 2 }]);
    let found = changed(problem, |problem| problem.request.filter.features = vec!["gpu".into()]);
    assert_eq!(found, [Violation::ForeignOrder { ordered: 2, nodes: 1 }]);
}

#[test]
fn catches_a_better_node_that_the_filter_no_longer_excludes() {
    let mut problem = labelled();
    problem.request.filter.exclude = vec!["n0".into()];
    let found = changed(problem, |problem| problem.request.filter.exclude.clear());
    assert_violates!(found, Violation::BetterNodeFree { taken: 1, free: 0, .. });
}

#[test]
fn catches_a_node_out_of_service() {
    let found = changed(six_trade_offs(), |problem| problem.outages = vec![out(5, 9, &[0, 1])]);
    assert_violates!(found, Violation::NodeOut { place: Place::Offer(5), node: 0, out }
        if *out == hours(5, 9));
}

#[test]
fn catches_an_end_after_the_deadline() {
    let found = changed(six_trade_offs(), |problem| {
        problem.request.latest_end = Some(second(6 * HOUR - 1));
    });
    assert_violates!(found, Violation::EndsTooLate { place: Place::Offer(5), .. });
}

#[test]
fn catches_a_shape_that_was_not_asked_for() {
    let mut problem = request_for_an_hour(&[10, 20], 0);
    problem.request.nodes = 2;
    let one = Shape { nodes: 1, duration: Seconds::new(HOUR) };
    problem.request.alternatives = vec![one];
    let found = changed(problem, |problem| problem.request.alternatives.clear());
    assert_violates!(found, Violation::WrongShape { place: Place::Offer(0), nodes: 1, .. });
}

#[test]
fn catches_winners_by_another_tolerance() {
    let one = Tolerance::new(1.0).unwrap();
    let found = changed(six_trade_offs(), |problem| problem.request.tolerances.cost = one);
    let beaten = |by, ranking: &str| Violation::Beaten {
        place: Place::Offer(by),
        ranking: ranking.parse().unwrap(),
        by: Place::Offer(0),
    };
    assert!(found.contains(&beaten(2, "cost_energy_co2")), "{found:#?}");
    let mut tolerant = six_trade_offs();
    tolerant.request.tolerances.cost = one;
    let found = changed(tolerant, |problem| {
        problem.request.tolerances.cost = Tolerance::new(0.499).unwrap();
    });
    assert_violates!(found, Violation::Beaten { by: Place::Pareto(_), .. });
}

/// Hour 1 costs less, hour 0 is as good and earlier; see `conditions`.
#[test]
fn catches_a_later_winner_among_those_as_good_as_the_least() {
    let found = changed(two_as_good(), |problem| {
        problem.request.tolerances.cost = Tolerance::new(0.05).unwrap();
    });
    assert_violates!(found, Violation::Beaten { place: Place::Offer(0), .. });
}

#[test]
fn catches_idle_power_left_out() {
    let mut problem = idling(100.0);
    problem.cap_scope = CapScope::ReservedNodes;
    let found = changed(problem, |problem| problem.cap_scope = CapScope::AllNodes);
    assert_violates!(found, Violation::CapExceeded { power_uw: 200_000_000, .. });
}

/// One node for two hours or two nodes for one; see `conditions`.
fn two_shapes() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[10, 20, 40], 0);
    problem.agendas.price = prices(&[(0, 1, 10.0), (1, 24, 100.0)]);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.request.alternatives = vec![Shape { nodes: 2, duration: Seconds::new(HOUR) }];
    problem
}

#[test]
fn catches_shapes_of_one_start_out_of_order() {
    let found = corrupted(&two_shapes(), |decision| {
        let Outcome::Choice(offers) = &mut decision.outcome else { panic!("two offers") };
        offers.reverse();
        decision.pareto.reverse();
    });
    assert_violates!(found.clone(), Violation::NotInTimeOrder { place: Place::Offer(1) });
    assert_violates!(found, Violation::NotInTimeOrder { place: Place::Pareto(1) });
}

#[test]
fn catches_one_shape_twice_at_one_start() {
    let found = corrupted(&two_shapes(), |decision| {
        decision.pareto.insert(1, decision.pareto[0].clone());
        decision.candidate_starts += 1;
    });
    assert_violates!(found, Violation::NotInTimeOrder { place: Place::Pareto(1) });
}

#[test]
fn catches_a_later_listed_shape_as_soon_as_possible() {
    let found = corrupted(&two_shapes(), |decision| {
        decision.as_soon_as_possible = Some(decision.offers()[1].clone());
    });
    assert_violates!(found, Violation::SoonerThanPossible { place: Place::Offer(0) });
}

#[test]
fn catches_impossible_numbers_of_candidates_with_tolerances() {
    let mut problem = request_for_an_hour(&[10], 1);
    problem.search = SearchMode::Exact;
    problem.request.tolerances.cost = Tolerance::new(0.1).unwrap();
    problem.agendas.price = prices(&[(0, 1, 100.0), (1, 24, 50.0)]);
    let of = |count| corrupted(&problem, |decision| decision.candidate_starts = count);
    assert_violates!(of(3), Violation::WrongCandidateCount { stated: 3, derived: 4 });
    assert_violates!(of(3_602), Violation::WrongCandidateCount { stated: 3_602, derived: 3_601 });
    problem.search = SearchMode::Slots { slot: Seconds::new(HOUR) };
    let found = corrupted(&problem, |decision| decision.candidate_starts = 3);
    assert_eq!(found, [Violation::WrongCandidateCount { stated: 3, derived: 2 }]);
}

/// What the judge says of the only reason with its binding changed.
fn unbound(problem: &PlanningProblem, change: impl FnOnce(&mut Binding)) -> Vec<ReasonCode> {
    let found = corrupted(problem, |decision| change(&mut decision.reasons[0].binding));
    let code = |it| match it {
        Violation::NotBinding { code, .. } => code,
        other => panic!("{other}"),
    };
    found.into_iter().map(code).collect()
}

#[test]
fn catches_nodes_that_do_not_bind_as_stated() {
    let mut problem = request_for_an_hour(&[10, 10], 1);
    problem.request.nodes = 2;
    problem.reservations = vec![booked("a", 0, 1, &[0]), booked("b", 1, 2, &[0, 1])];
    let changes: [fn(&mut Binding); 6] = [
        |it| it.shortage = Shortage::Nodes(2),
        |it| it.shortage = Shortage::Nodes(0),
        |it| it.shortage = Shortage::Agenda("price"),
        |it| it.span = Span::new(hour(0), second(HOUR - 1)).unwrap(),
        |it| it.start = second(1),
        |it| (it.start, it.span) = (hour(2), hours(2, 3)),
    ];
    for change in changes {
        assert_eq!(unbound(&problem, change), [ReasonCode::Nodes]);
    }
}

#[test]
fn catches_a_cap_that_does_not_bind_as_stated() {
    let mut problem = request_for_an_hour(&[100], 1);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.agendas.power_cap = Some(caps(&[(0, 1, 60.0), (1, 2, 95.0), (2, 24, 90.0)]));
    let watts = |watts: i64| Shortage::Power(Power::from_microwatts(watts * 1_000_000));
    let missing = |span, watts| move |it: &mut Binding| (it.span, it.shortage) = (span, watts);
    let spans = [(hours(1, 2), 5), (hours(1, 3), 10), (hours(2, 3), 9), (hours(2, 4), 10)];
    for (span, short) in spans {
        assert_eq!(unbound(&problem, missing(span, watts(short))), [ReasonCode::PowerCap]);
    }
}

#[test]
fn catches_a_gap_that_is_none() {
    let mut problem = request_for_an_hour(&[10], 2);
    problem.agendas.co2 = intensities(&[(0, 2, 50.0), (3, 24, 50.0)]);
    let changes: [fn(&mut Binding); 4] = [
        |it| it.shortage = Shortage::Agenda("price"),
        |it| it.shortage = Shortage::Agenda("power_cap"),
        |it| it.start = hour(1),
        |it| it.span = hours(1, 3),
    ];
    for change in changes {
        assert_eq!(unbound(&problem, change), [ReasonCode::AgendaGap]);
    }
}
