//! The judge against starts that are not what they say.

use planner::check::{Place, Violation, check, check_preferring};
use planner::decision::{Decision, Offer, Outcome};
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::problem::PlanningProblem;
use planner::quantity::{CarbonIntensity, Currency, Energy, Integral, Power};
use planner::time::{Seconds, Span, Timestamp};

use super::build::*;

/// What the judge says of `decision`.
pub fn violations(
    problem: &PlanningProblem,
    order: &NodeOrder,
    decision: &Decision,
) -> Vec<Violation> {
    check(problem, order, decision).expect_err("the judge lets a corrupted decision pass")
}

macro_rules! assert_violates {
    ($violations:expr, $($pattern:tt)+) => {{
        let found: Vec<planner::check::Violation> = $violations;
        assert!(found.iter().any(|it| matches!(it, $($pattern)+)), "{found:#?}");
    }};
}
pub(crate) use assert_violates;

/// Plans the six trade-offs, corrupts the offer at `index` and judges.
fn corrupt(index: usize, corruption: impl FnOnce(&mut Offer)) -> Vec<Violation> {
    let problem = six_trade_offs();
    let (order, mut decision) = planned(&problem);
    let Outcome::Choice(offers) = &mut decision.outcome else { panic!("there are six offers") };
    corruption(&mut offers[index]);
    violations(&problem, &order, &decision)
}

fn quantities(violations: &[Violation], place: Place) -> Vec<&'static str> {
    let quantity = |it: &Violation| match it {
        Violation::WrongValue { place: found, quantity, .. } if *found == place => Some(*quantity),
        _ => None,
    };
    violations.iter().filter_map(quantity).collect()
}

fn hour_from(start: Timestamp) -> Span {
    Span::starting(start, Seconds::new(HOUR)).unwrap()
}

fn exact_mass(exact: i128) -> planner::quantity::CarbonMass {
    let intensity = Integral::<CarbonIntensity>::from_millionth_seconds(exact);
    Power::from_microwatts(1).times_intensity(intensity)
}

#[test]
fn catches_a_start_moved_by_a_slot() {
    let found = corrupt(0, |offer| offer.span = hours(1, 2));
    assert_eq!(quantities(&found, Place::Offer(0)), ["cost", "co2", "delay"]);
}

#[test]
fn catches_a_start_moved_by_a_second() {
    let found = corrupt(0, |offer| offer.span = hour_from(second(1)));
    assert_violates!(found.clone(), Violation::NoSlot { place: Place::Offer(0), .. });
    assert_violates!(found, Violation::WrongValue { quantity: "delay", derived: 1, .. });
}

#[test]
fn catches_a_start_after_the_window() {
    let found = corrupt(5, |offer| offer.span = hours(6, 7));
    assert_violates!(found.clone(), Violation::OutsideWindow { place: Place::Offer(5), .. });
    assert_violates!(found, Violation::AgendaGap { agenda: "price", .. });
}

#[test]
fn catches_a_start_in_the_past() {
    let mut problem = six_trade_offs();
    let (order, decision) = planned(&problem);
    problem.now = second(1);
    let found = violations(&problem, &order, &decision);
    assert_violates!(found, Violation::OutsideWindow { place: Place::AsSoonAsPossible, .. });
}

#[test]
fn catches_an_offer_that_lasts_too_long() {
    let found = corrupt(1, |offer| offer.span = hours(1, 3));
    assert_violates!(found, Violation::WrongShape { place: Place::Offer(1), nodes: 1, length }
        if length.get() == 2 * HOUR);
}

/// Ranks are 10, 20, 40 W; at hour 1 all three are free, ordinals are the other way round.
#[test]
fn catches_a_node_that_draws_more_than_one_left_free() {
    let found = corrupt(1, |offer| offer.ranks = NodeSet::from_positions([1]));
    let place = Place::Offer(1);
    assert!(found.contains(&Violation::BetterNodeFree { place, taken: 1, free: 2 }));
    assert_eq!(quantities(&found, place), ["energy", "cost", "co2", "peak_power"]);
}

#[test]
fn catches_a_later_node_that_draws_the_same() {
    let problem = request_for_an_hour(&[10, 10], 0);
    let (order, mut decision) = planned(&problem);
    let second = NodeSet::from_positions([1]);
    let offers = [&mut decision.pareto[0], decision.as_soon_as_possible.as_mut().unwrap()];
    for offer in offers {
        offer.ranks = second.clone();
    }
    let Outcome::Optimum(offer) = &mut decision.outcome else { panic!("one start is best") };
    offer.ranks = second;
    let found = violations(&problem, &order, &decision);
    let better = |place| Violation::BetterNodeFree { place, taken: 1, free: 0 };
    assert_eq!(
        found,
        [Place::Offer(0), Place::AsSoonAsPossible, Place::Pareto(0)].map(better),
        "nothing else is wrong, and every place is named",
    );
}

#[test]
fn catches_a_node_that_a_reservation_holds() {
    let found = corrupt(3, |offer| offer.ranks = NodeSet::from_positions([1]));
    assert_violates!(found, Violation::NodeTaken { place: Place::Offer(3), node: 1, id, .. }
        if **id == *"b");
}

#[test]
fn catches_a_reservation_that_starts_in_the_last_second() {
    let mut problem = six_trade_offs();
    let (order, decision) = planned(&problem);
    let mut late = booked("late", 1, 2, &[2]);
    late.span = Span::starting(second(2 * HOUR - 1), Seconds::ONE).unwrap();
    problem.reservations.push(late);
    let found = violations(&problem, &order, &decision);
    assert_violates!(found, Violation::NodeTaken { place: Place::Offer(1), node: 2, .. });
}

#[test]
fn catches_too_many_nodes_and_none() {
    for (ranks, found_count) in [(NodeSet::new(), 0), (NodeSet::from_positions([0, 1]), 2)] {
        let found = corrupt(0, |offer| offer.ranks = ranks);
        assert_violates!(found, Violation::WrongShape { nodes, .. } if *nodes == found_count);
    }
}

#[test]
fn catches_a_node_that_does_not_exist() {
    let found = corrupt(0, |offer| offer.ranks = NodeSet::from_positions([3]));
    assert_violates!(found, Violation::NoSuchNode { rank: 3, nodes: 3, .. });
}

#[test]
fn catches_each_value_altered_by_its_smallest_unit() {
    let place = Place::Offer(2);
    let off_by_one = |corruption: fn(&mut Offer)| quantities(&corrupt(2, corruption), place);
    let energy = off_by_one(|it| it.values.energy = it.values.energy + Energy::from_microjoules(1));
    assert_eq!(energy, ["energy", "saved energy"]);
    let cost = off_by_one(|it| it.values.cost = euros_exact(it.values.cost.as_exact() - 1));
    assert_eq!(cost, ["cost", "saved cost"]);
    let co2 = off_by_one(|it| it.values.co2 = exact_mass(it.values.co2.as_exact() + 1));
    assert_eq!(co2, ["co2", "saved co2"]);
    let peak = off_by_one(|it| it.peak_power = it.peak_power + Power::from_microwatts(1));
    assert_eq!(peak, ["peak_power"]);
    assert_eq!(off_by_one(|it| it.delay = it.delay + Seconds::ONE), ["delay"]);
    let saved = off_by_one(|it| it.saves.energy = it.saves.energy + Energy::from_microjoules(1));
    assert_eq!(saved, ["saved energy"]);
    let saved = off_by_one(|it| it.saves.cost = euros_exact(it.saves.cost.as_exact() + 1));
    assert_eq!(saved, ["saved cost"]);
    let saved = off_by_one(|it| it.saves.co2 = exact_mass(it.saves.co2.as_exact() - 1));
    assert_eq!(saved, ["saved co2"]);
}

#[test]
fn catches_an_amount_in_another_currency() {
    let mut problem = six_trade_offs();
    let (order, decision) = planned(&problem);
    problem.currency = Currency::parse("CHF").unwrap();
    let found = violations(&problem, &order, &decision);
    assert_violates!(found, Violation::WrongCurrency { place: Place::Offer(0) });
}

#[test]
fn catches_a_gap_of_a_second_in_any_agenda() {
    let mut problem = six_trade_offs();
    problem.agendas.power_cap = Some(caps(&[(0, 24, 1_000.0)]));
    let (order, decision) = planned(&problem);
    problem.agendas.power_cap = Some(caps(&[(0, 3, 1_000.0), (4, 24, 1_000.0)]));
    problem.agendas.co2 = intensities(&[(1, 24, 50.0)]);
    let found = violations(&problem, &order, &decision);
    let gap = |place, agenda, gap| Violation::AgendaGap { place, agenda, gap };
    assert!(found.contains(&gap(Place::Offer(0), "co2", hours(0, 1))));
    assert!(found.contains(&gap(Place::Offer(3), "power_cap", hours(3, 4))));
}

/// In hour 4 the 10 W node is reserved and the 20 W node asked for: 30 W are the cap.
#[test]
fn catches_a_cap_exceeded_by_a_microwatt() {
    let mut problem = six_trade_offs();
    let (order, decision) = planned(&problem);
    let cap = |watts| caps(&[(0, 4, 1_000.0), (4, 5, watts), (5, 24, 1_000.0)]);
    problem.agendas.power_cap = Some(cap(30.0));
    assert_eq!(check(&problem, &order, &decision), Ok(()));
    problem.agendas.power_cap = Some(cap(29.999_999));
    let found = violations(&problem, &order, &decision);
    assert_violates!(
        found,
        Violation::CapExceeded { place: Place::Offer(4), power_uw: 30_000_000, .. }
    );
}

#[test]
fn judges_by_the_order_in_which_nodes_were_preferred() {
    let problem = six_trade_offs();
    let (order, decision) = planned(&problem);
    let verdict = check_preferring(&problem, Preference::FirstListed, &order, &decision);
    assert_violates!(verdict.unwrap_err(), Violation::BetterNodeFree { taken: 2, free: 0, .. });
}

#[test]
fn refuses_the_order_of_another_cluster() {
    let problem = six_trade_offs();
    let (_, decision) = planned(&problem);
    let (order, _) = planned(&request_for_an_hour(&[10], 0));
    let found = violations(&problem, &order, &decision);
    assert_violates!(found, Violation::ForeignOrder { ordered: 1, nodes: 3 });
}
