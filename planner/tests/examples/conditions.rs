//! Tolerances, deadlines and other shapes, with their arithmetic.

use planner::decision::Decision;
use planner::problem::{PlanningProblem, SearchMode};
use planner::request::{Shape, Tolerances};
use planner::time::Seconds;
use planner::tolerance::Tolerance;

use super::build::*;

const WORDS: [&str; 6] = [
    "energy_cost_co2",
    "energy_co2_cost",
    "cost_energy_co2",
    "cost_co2_energy",
    "co2_energy_cost",
    "co2_cost_energy",
];

fn with_cost_tolerance(mut problem: PlanningProblem, tolerance: f64) -> PlanningProblem {
    problem.request.tolerances.cost = Tolerance::new(tolerance).unwrap();
    problem
}

fn hours_of_all(decision: &Decision) -> [i64; 6] {
    WORDS.map(|word| hour_of(decision, word))
}

fn shape(nodes: u32, hours: i64) -> Shape {
    Shape { nodes, duration: Seconds::new(hours * HOUR) }
}

/// (energy, cost, CO2) of hours 0 to 5: (10, 300, 500), (10, 500, 300), (20, 200, 800),
/// (40, 200, 400), (20, 800, 100), (40, 400, 100). As good as the least cost is up to twice that:
///
/// - energy, cost: hours 0 and 1; up to 600, both; the cleaner is 1.
/// - energy, CO2: hours 0 and 1; the cleaner is 1.
/// - cost, energy: up to 400, hours 0, 2, 3 and 5; the least energy is at 0.
/// - cost, CO2: of the same the cleanest is 5.
/// - CO2, energy: hours 4 and 5; the least energy is at 4.
/// - CO2, cost: hours 4 and 5; up to 800, both; the least energy is at 4.
#[test]
fn a_tolerance_lets_the_next_criterion_decide() {
    assert_eq!(hours_of_all(&planned(&six_trade_offs()).1), [0, 1, 2, 3, 4, 5]);
    let tolerant = with_cost_tolerance(six_trade_offs(), 1.0);
    assert_eq!(hours_of_all(&planned(&tolerant).1), [1, 1, 0, 5, 4, 4]);
}

/// The least cost is 200 and hour 0 costs 300: 50 % more, which is within 0.5 and not within 0.499.
#[test]
fn a_tolerance_includes_what_equals_it() {
    let at = |tolerance| {
        let tolerant = with_cost_tolerance(six_trade_offs(), tolerance);
        hour_of(&planned(&tolerant).1, "cost_energy_co2")
    };
    assert_eq!((at(0.499), at(0.5)), (2, 0));
}

/// 10 W for an hour at 101, 100 and 106 EUR/MWh: 1,010, 1,000 and 1,060 uEUR, of the same energy and
/// CO2. Within 5 % of the least is up to 1,050: hours 0 and 1 are as good as the least in every step
/// of every ranking, so the earlier wins. Asking for the cost a second time would take hour 1.
#[test]
fn of_what_is_as_good_as_the_least_in_all_steps_the_earliest_wins() {
    assert_eq!(hours_of_all(&planned(&two_as_good()).1), [1; 6]);
    let (_, decision) = planned(&with_cost_tolerance(two_as_good(), 0.05));
    assert_eq!((decision.word(), hours_of_all(&decision)), ("optimum", [0; 6]));
    // 1 % of 1,000 is 10 uEUR: hour 0 is just within; with less it is not.
    let at = |tolerance| hours_of_all(&planned(&with_cost_tolerance(two_as_good(), tolerance)).1);
    assert_eq!((at(0.01), at(0.0099)), ([0; 6], [1; 6]));
}

/// 10 W cost -970, -980 and -1,000 uEUR. Within 2 % of -1,000 is up to -1,000 + 20 = -980, within
/// 3 % up to -970; the earliest of what is within wins.
#[test]
fn a_tolerance_of_a_negative_cost_is_of_its_size() {
    let at = |tolerance| {
        let mut problem = request_for_an_hour(&[10], 2);
        problem.agendas.price = prices(&[(0, 1, -97.0), (1, 2, -98.0), (2, 24, -100.0)]);
        hour_of(&planned(&with_cost_tolerance(problem, tolerance)).1, "cost_energy_co2")
    };
    assert_eq!((at(0.0), at(0.02), at(0.03)), (2, 1, 0));
}

/// At 100 EUR/MWh until 1:00 and 50 from then on, an hour that starts `t` seconds after midnight
/// costs in proportion to 100 x (3,600 - t) + 50 x t = 360,000 - 50 t, least at 1:00: 180,000. Within
/// 10 % is up to 198,000, that is from t = 3,240, or 0:54, which is next to no breakpoint.
///
/// Candidates: the seconds 0, 1, 3,599 and 3,600 by the window and the change of price, and 3,239
/// and 3,240 by the tolerance.
#[test]
fn the_exact_mode_finds_where_a_value_crosses_the_tolerance() {
    let mut problem = request_for_an_hour(&[10], 1);
    problem.search = SearchMode::Exact;
    problem.agendas.price = prices(&[(0, 1, 100.0), (1, 24, 50.0)]);
    let (_, decision) = planned(&problem);
    assert_eq!((decision.candidate_starts, start_of(&decision.offers()[0])), (4, 3_600));
    let (_, decision) = planned(&with_cost_tolerance(problem, 0.1));
    assert_eq!((decision.candidate_starts, start_of(&decision.offers()[0])), (6, 3_240));
}

/// A node of 10 W for two hours or nodes of 10 and 20 W for one, at midnight; the first hour costs
/// 10 EUR/MWh, the second 100. Energy: 20 or 30 Wh. Cost: 10 x 10 + 10 x 100 = 1,100 or
/// 30 x 10 = 300 uEUR. CO2 at 50 g/kWh: 1,000 or 1,500 mg.
#[test]
fn two_shapes_of_one_start_are_two_offers() {
    let mut problem = request_for_an_hour(&[10, 20, 40], 0);
    problem.agendas.price = prices(&[(0, 1, 10.0), (1, 24, 100.0)]);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.request.alternatives = vec![shape(2, 1)];
    let (_, decision) = planned(&problem);
    assert_eq!(decision.candidate_starts, 2);
    let [own, other] = decision.offers() else { panic!("two offers: {decision:?}") };
    assert_eq!((own.span, own.ranks.count()), (hours(0, 2), 1));
    assert_eq!((other.span, other.ranks.count()), (hours(0, 1), 2));
    let words = other.rankings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(words, ["cost_energy_co2", "cost_co2_energy"]);
    assert_eq!(other.saves.cost, euros_exact(800 * 3_600_000_000_000_000));
}

/// The shapes of the example before, with tolerances that keep both in every step: energy and CO2 up to 100 % more, cost up
/// to 300 + 2.7 x 300 = 1,110 uEUR. Both start at midnight, so the ranking's own order decides, not
/// the order in which they are listed.
#[test]
fn of_tolerated_shapes_at_one_start_the_least_wins() {
    let mut problem = request_for_an_hour(&[10, 20, 40], 0);
    problem.agendas.price = prices(&[(0, 1, 10.0), (1, 24, 100.0)]);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.request.alternatives = vec![shape(2, 1)];
    let tolerance = |value| Tolerance::new(value).unwrap();
    let (energy, cost, co2) = (tolerance(1.0), tolerance(2.7), tolerance(1.0));
    problem.request.tolerances = Tolerances { energy, cost, co2 };
    let (_, decision) = planned(&problem);
    let won = |ranking: &str| decision.offer_for(ranking.parse().unwrap()).unwrap().ranks.count();
    assert_eq!(WORDS.map(won), [1, 1, 2, 2, 1, 1]);
}

/// Two nodes for an hour, 30 Wh, or one, 10 Wh: the first listed is as soon as possible, though the
/// other beats it in all but the start.
#[test]
fn of_shapes_at_the_first_start_the_first_listed_is_as_soon_as_possible() {
    let mut problem = request_for_an_hour(&[10, 20], 0);
    problem.request.nodes = 2;
    problem.request.alternatives = vec![shape(1, 1)];
    let (_, decision) = planned(&problem);
    assert_eq!(decision.word(), "optimum");
    assert_eq!(decision.offers()[0].ranks.count(), 1);
    assert_eq!(decision.as_soon_as_possible.as_ref().unwrap().ranks.count(), 2);
    assert_eq!(decision.pareto.len(), 1);
}

/// Over at 4:00, two hours may start at 0:00, 1:00 and 2:00, one hour until 3:00 too. That is
/// where it is cheap: 10 W x 10 EUR/MWh for an hour.
#[test]
fn a_deadline_binds_each_shape_by_its_length() {
    let mut problem = request_for_an_hour(&[10], 5);
    problem.agendas.price = prices(&[(0, 3, 100.0), (3, 24, 10.0)]);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.request.alternatives = vec![shape(1, 1)];
    problem.request.latest_end = Some(hour(4));
    let (_, decision) = planned(&problem);
    assert_eq!(decision.candidate_starts, 3 + 4);
    let offer = decision.offer_for("cost_energy_co2".parse().unwrap()).unwrap();
    assert_eq!(offer.span, hours(3, 4));
    assert_eq!(offer.values.cost, euros_exact(100 * 3_600_000_000_000_000));
}
