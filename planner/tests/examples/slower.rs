//! Slower states, with their arithmetic.
//!
//! A node of 100 W idle and 200 W at most runs an hour's work at full speed. Figures of the shape that
//! measurements of processors have: less power for longer takes less energy only down to a certain speed, since
//! the idle power is drawn for longer.
//!
//! ```text
//! state  speed  max W |    takes  |  energy
//! full    1      200  |  3,600 s  |  200.0 Wh
//! p1      0.8    150  |  4,500 s  |  187.5 Wh, the least
//! p2      0.5    120  |  7,200 s  |  240.0 Wh, the most, in the slowest state
//! ```

use std::sync::Arc;

use planner::check::{Place, Violation, check};
use planner::decision::{Decision, Offer, Outcome};
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::problem::PlanningProblem;
use planner::quantity::Power;
use planner::search::{PlanningView, plan, plan_problem};
use planner::slower_states::{SlowerPowers, SlowerState, SlowerStates, Speed};
use planner::time::Seconds;

use super::build::*;

fn speed(millionths: i64) -> Speed {
    Speed::from_millionths(millionths).unwrap()
}

fn watts(watts: i64) -> Power {
    Power::from_microwatts(watts * 1_000_000)
}

fn state(name: &str, millionths: i64, max: i64) -> (SlowerState, SlowerPowers) {
    let state = SlowerState { name: name.into(), speed: speed(millionths) };
    (state, SlowerPowers { max: watts(max), limit: None })
}

/// An hour's work on one of two nodes, of which the second, of 210 W, has no slower states; it may run as slowly
/// as at half speed.
fn problem(last_hour: i64) -> PlanningProblem {
    let mut problem = request_for_an_hour(&[200], last_hour);
    let node = |max| Node::new(watts(100), watts(max), None).unwrap();
    let states = [vec![state("p1", 800_000, 150), state("p2", 500_000, 120)], Vec::new()];
    let nodes = Nodes::numbered(vec![node(200), node(210)]).unwrap();
    problem.nodes = Arc::new(nodes.with_slower_states(SlowerStates::new(&states).unwrap()));
    problem.request.slowest_speed = speed(500_000);
    problem
}

/// Hour of the start, state, seconds later than at full speed, tenths of watt-hours and peak watts.
fn told(offer: &Offer) -> (i64, &str, i64, i128, f64) {
    let slowing = offer.slowing.as_ref();
    let state = slowing.map_or("full", |it| &it.state.name);
    let later = slowing.map_or(0, |it| it.later.get());
    let energy = offer.values.energy.as_microjoules() / 360_000_000;
    (start_of(offer) / HOUR, state, later, energy, offer.peak_power.as_watts())
}

fn optimum(decision: &Decision) -> &Offer {
    let Outcome::Optimum(offer) = &decision.outcome else { panic!("{}", decision.word()) };
    offer
}

/// Prices are flat: what takes the least energy is the cheapest and the cleanest.
#[test]
fn the_slowest_state_is_not_the_most_efficient() {
    let (_, decision) = planned(&problem(0));
    assert_eq!(told(optimum(&decision)), (0, "p1", 900, 1_875, 150.0));
    assert_eq!(optimum(&decision).span.length(), Seconds::new(4_500));
    // Full speed, p1 and p2 at one start; as soon as possible is at full speed, which is listed first.
    assert_eq!(decision.candidate_starts, 3);
    let soonest = decision.as_soon_as_possible.as_ref().unwrap();
    assert_eq!(told(soonest), (0, "full", 0, 2_000, 200.0));
    // 200 Wh less 187.5 Wh are 12.5 Wh or 45,000 J.
    assert_eq!(optimum(&decision).saves.energy.as_microjoules(), 45_000_000_000);
}

/// Until hour 2 the cap is 130 W, which p2 alone is within: with 120 W it runs from 0:00 to 2:00. From hour 2 on
/// p1 takes the least energy. At full speed nothing begins before hour 2.
#[test]
fn a_slower_state_is_within_a_low_cap() {
    let mut problem = problem(2);
    problem.agendas.power_cap = Some(caps(&[(0, 2, 130.0), (2, 24, 250.0)]));
    let (_, decision) = planned(&problem);
    let soonest = decision.as_soon_as_possible.as_ref().unwrap();
    assert_eq!(told(soonest), (0, "p2", 3_600, 2_400, 120.0));
    assert_eq!(told(optimum(&decision)), (2, "p1", 900, 1_875, 150.0));
    problem.request.slowest_speed = Speed::FULL;
    let (_, decision) = planned(&problem);
    assert_eq!(told(optimum(&decision)), (2, "full", 0, 2_000, 200.0));
}

/// The first hour costs 10 EUR/MWh, later ones 1,000. At full speed 200 Wh cost 2,000 uEUR. In p1 an hour of 150 W
/// costs 1,500 uEUR and a quarter of an hour more 37.5 Wh x 1,000 = 37,500: full speed is cheaper, p1 takes less
/// energy and emits less.
#[test]
fn a_slower_state_is_taken_where_a_criterion_pays() {
    let mut problem = problem(0);
    problem.agendas.price = prices(&[(0, 1, 10.0), (1, 24, 1_000.0)]);
    let (_, decision) = planned(&problem);
    let of = |ranking: &str| told(decision.offer_for(ranking.parse().unwrap()).unwrap()).1;
    assert_eq!(["cost_energy_co2", "cost_co2_energy"].map(of), ["full"; 2]);
    assert_eq!(["energy_cost_co2", "co2_cost_energy"].map(of), ["p1"; 2]);
    let cost = |ranking: &str| {
        let offer = decision.offer_for(ranking.parse().unwrap()).unwrap();
        offer.values.cost.as_exact() / 3_600_000_000_000_000
    };
    assert_eq!(["cost_energy_co2", "energy_cost_co2"].map(cost), [2_000, 39_000]);
}

/// States that nobody allows change nothing; a speed of 0.6 leaves p1 alone; two nodes do not have p1.
#[test]
fn only_states_that_are_allowed_and_that_enough_nodes_have_are_looked_at() {
    let mut without = problem(2);
    without.nodes = Arc::new(Nodes::numbered(without.nodes.as_slice().to_vec()).unwrap());
    let mut forbidden = problem(2);
    forbidden.request.slowest_speed = Speed::FULL;
    assert_eq!(planned(&forbidden).1, planned(&without).1);
    let mut some = problem(2);
    some.request.slowest_speed = speed(600_000);
    assert_eq!(planned(&some).1.candidate_starts, 6);
    let mut two = problem(2);
    two.request.nodes = 2;
    assert_eq!(planned(&two).1.candidate_starts, 3);
}

/// In the first hour nobody may limit the node: as soon as possible is at full speed at 0:00, the best is p1 at 1:00, for which
/// the node is free at full speed all the while.
#[test]
fn nodes_run_slower_only_while_that_is_permitted() {
    let problem = problem(1);
    let selection = problem.selection();
    let book = problem.book(&selection);
    let mut slower = problem.slower_selections(&selection);
    for it in &mut slower {
        it.closed = vec![(hours(0, 1), book.order().ranks(&NodeSet::from_positions([0])))];
    }
    let view = PlanningView::of(&problem, &selection, &book).with_slower(&slower);
    let decision = plan(&view, &problem.request, &|| false).unwrap();
    let soonest = decision.as_soon_as_possible.as_ref().unwrap();
    assert_eq!(told(soonest), (0, "full", 0, 2_000, 200.0));
    assert_eq!(told(optimum(&decision)), (1, "p1", 900, 1_875, 150.0));
}

#[test]
fn the_judge_refuses_states_that_are_not_there() {
    let problem = problem(0);
    let (order, decision) = plan_problem(&problem);
    let corrupted = |change: &dyn Fn(&mut Offer)| {
        let mut decision = decision.clone();
        let Outcome::Optimum(offer) = &mut decision.outcome else { panic!("an optimum") };
        change(offer);
        check(&problem, &order, &decision).unwrap_err()
    };
    let place = Place::Offer(0);
    let later = corrupted(&|offer| offer.slowing.as_mut().unwrap().later = Seconds::new(899));
    let (nodes, length) = (1, Seconds::new(4_500));
    assert!(later.contains(&Violation::WrongShape { place, nodes, length }), "{later:?}");
    let fast = corrupted(&|offer| offer.slowing.as_mut().unwrap().state.speed = speed(900_000));
    let quantity = "speed";
    let expected = Violation::WrongValue { place, quantity, stated: 900_000, derived: 800_000 };
    assert!(fast.contains(&expected), "{fast:?}");
    let other = corrupted(&|offer| offer.slowing.as_mut().unwrap().state.name = "p9".into());
    let expected = Violation::NoSuchState { place, state: "p9".into() };
    assert!(other.contains(&expected), "{other:?}");
    let node = corrupted(&|offer| {
        offer.ranks = order.ranks(&NodeSet::from_positions([1]));
    });
    let expected = Violation::NodeWithoutState { place, node: 1, state: "p1".into() };
    assert!(node.contains(&expected), "{node:?}");
}
