//! Decisions small enough to follow with a pencil.

use planner::decision::{Binding, Decision, ReasonCode, Shortage};
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::EnergyPrice;
use planner::request::Shape;
use planner::time::{Seconds, Span};

use super::build::*;

/// One node for an hour. The 10 W node is taken from hour 2, the 20 W node in hours 3 and 5, so
/// that the least-drawing free node changes. With W, EUR/MWh and g/kWh, an hour of p W costs
/// p x price uEUR and emits p x intensity mg:
///
/// ```text
/// hour  draw  price  intensity |  energy  cost  CO2 | wins
///  0     10    30      50      |    10    300   500 | least energy, then cheapest
///  1     10    50      30      |    10    500   300 | least energy, then cleanest
///  2     20    10      40      |    20    200   800 | cheapest, then least energy
///  3     40     5      10      |    40    200   400 | cheapest, then cleanest
///  4     20    40       5      |    20    800   100 | cleanest, then least energy
///  5     40    10       2.5    |    40    400   100 | cleanest, then cheapest
/// ```
#[test]
fn each_ranking_wins_its_own_start() {
    let (order, decision) = planned(&six_trade_offs());
    let words = ["energy_cost_co2", "energy_co2_cost", "cost_energy_co2"];
    assert_eq!(words.map(|word| hour_of(&decision, word)), [0, 1, 2]);
    let words = ["cost_co2_energy", "co2_energy_cost", "co2_cost_energy"];
    assert_eq!(words.map(|word| hour_of(&decision, word)), [3, 4, 5]);
    let listed = decision.offers().iter().map(|offer| {
        let (values, node) = (&offer.values, order.ordinals(&offer.ranks));
        // 10 Wh are 36,000 J or 3.6e10 uJ; a uEUR is 3.6e15 and a mg is 3.6e15 exact units.
        let energy = values.energy.as_microjoules() / 3_600_000_000;
        let cost = values.cost.as_exact() / 3_600_000_000_000_000;
        let co2 = values.co2.as_exact() / 3_600_000_000_000_000;
        (node.positions().collect::<Vec<_>>(), energy, cost, co2)
    });
    let expected = [
        (vec![2], 10, 300, 500),
        (vec![2], 10, 500, 300),
        (vec![1], 20, 200, 800),
        (vec![0], 40, 200, 400),
        (vec![1], 20, 800, 100),
        (vec![0], 40, 400, 100),
    ];
    assert_eq!(listed.collect::<Vec<_>>(), expected);
    assert_eq!(decision.pareto.len(), 6, "whoever wins a ranking is not dominated");
}

/// The savings of the example before, against the start at hour 0 with 36,000 J, 300 uEUR and 500 mg: hour 3 takes
/// 40 Wh = 144,000 J, so it saves -108,000 J, 300 - 200 = 100 uEUR and 500 - 400 = 100 mg.
#[test]
fn an_offer_says_what_it_saves_against_starting_as_soon_as_possible() {
    let (_, decision) = planned(&six_trade_offs());
    let offer = &decision.offers()[3];
    assert_eq!(offer.saves.energy.as_microjoules(), -108_000_000_000);
    assert_eq!(offer.saves.cost, euros_exact(100 * 3_600_000_000_000_000));
    assert_eq!(offer.saves.co2.as_exact(), 100 * 3_600_000_000_000_000);
    assert_eq!(offer.delay, Seconds::new(3 * HOUR));
    assert_eq!(offer.peak_power.as_microwatts(), 40_000_000);
}

/// A flat tariff: every start costs the same, so the first one wins all six.
#[test]
fn equal_starts_are_an_optimum_at_the_earliest() {
    let (_, decision) = planned(&request_for_an_hour(&[10, 10], 8));
    assert_eq!((decision.word(), start_of(&decision.offers()[0])), ("optimum", 0));
    assert_eq!(decision.pareto.len(), 1);
    assert_eq!(decision.candidate_starts, 9);
}

/// 100 W are reserved until 2:00 and 100 W asked for: 200 W are at the cap, not above it.
#[test]
fn a_cap_equal_to_the_demand_is_respected() {
    let mut problem = request_for_an_hour(&[100, 100], 1);
    problem.reservations = vec![booked("r", 0, 2, &[0])];
    problem.agendas.power_cap = Some(caps(&[(0, 24, 200.0)]));
    let (_, decision) = planned(&problem);
    assert_eq!(start_of(&decision.offers()[0]), 0);
    assert_eq!(decision.reasons, []);
}

/// A cap that is a microwatt too low until 1:00: only the start at 1:00 is left.
#[test]
fn a_cap_a_microwatt_below_the_demand_excludes_the_start() {
    let mut problem = request_for_an_hour(&[100, 100], 1);
    problem.reservations = vec![booked("r", 0, 2, &[0])];
    problem.agendas.power_cap = Some(caps(&[(0, 1, 199.999_999), (1, 24, 200.0)]));
    let (_, decision) = planned(&problem);
    assert_eq!(start_of(&decision.offers()[0]), HOUR);
    assert_eq!(excluded(&decision), [(ReasonCode::PowerCap, 1)]);
}

/// One reservation holds 100 W or 150 W, which of them is not chosen yet: 150 W count. With the
/// 70 W asked for that is 220 W, where the sum of both alternatives would be 320 W.
#[test]
fn of_alternatives_the_largest_counts_against_the_cap() {
    let mut problem = request_for_an_hour(&[100, 150, 70], 0);
    problem.reservations = vec![booked("r", 0, 2, &[0]), booked("r", 0, 1, &[1])];
    problem.agendas.power_cap = Some(caps(&[(0, 24, 220.0)]));
    assert_eq!(planned(&problem).1.word(), "optimum");
    problem.agendas.power_cap = Some(caps(&[(0, 24, 219.999_999)]));
    assert_eq!(planned(&problem).1.word(), "impossible");
}

/// Two hours from 0:00 to 4:00 on the hour; no price is known from 2:00 to 3:00. [0, 2) ends as
/// the gap begins and [3, 5) begins as it ends; [1, 3) and [2, 4) need it.
#[test]
fn a_gap_excludes_the_starts_that_need_it() {
    let mut problem = request_for_an_hour(&[10], 3);
    problem.request.duration = Seconds::new(2 * HOUR);
    problem.agendas.price = prices(&[(0, 2, 50.0), (3, 24, 20.0)]);
    let (_, decision) = planned(&problem);
    assert_eq!(excluded(&decision), [(ReasonCode::AgendaGap, 2)]);
    // The later start is cheaper (20 against 50) and equal in energy and CO2.
    assert_eq!(decision.word(), "optimum");
    assert_eq!(start_of(&decision.offers()[0]), 3 * HOUR);
    assert_eq!(decision.as_soon_as_possible.as_ref().map(start_of), Some(0));
}

/// The only node is taken from 0:00 to 1:00 and from 2:00 to 3:00: an hour fits between, to the
/// second, since spans are half-open. An hour and a second has to wait until 3:00.
#[test]
fn a_reservation_may_touch_its_neighbours() {
    let mut problem = request_for_an_hour(&[10], 3);
    problem.search = SearchMode::Exact;
    problem.reservations = vec![booked("a", 0, 1, &[0]), booked("b", 2, 3, &[0])];
    let (_, decision) = planned(&problem);
    assert_eq!(start_of(&decision.offers()[0]), HOUR);
    problem.request.duration = Seconds::new(HOUR + 1);
    let (_, decision) = planned(&problem);
    assert_eq!(start_of(&decision.offers()[0]), 3 * HOUR);
}

/// One hour at -5 EUR/MWh among hours at 60, from 1:07:13: an hour that starts there costs
/// 10 W x 1 h x -5 = -50 uEUR, a second earlier or later 65 EUR/MWh x 10 W x 1 s more.
#[test]
fn the_exact_mode_starts_with_the_cheap_hour_to_the_second() {
    let mut problem = request_for_an_hour(&[10], 5);
    problem.search = SearchMode::Exact;
    let cheap = Span::starting(second(HOUR + 433), Seconds::new(HOUR)).unwrap();
    let edges = [hour(0), cheap.start(), cheap.end(), hour(24)];
    let pieces = edges.windows(2).zip([60, -5, 60]).map(|(edge, price)| planner::agenda::Piece {
        span: Span::new(edge[0], edge[1]).unwrap(),
        value: EnergyPrice::from_millionths_per_mwh(price * 1_000_000).unwrap(),
    });
    let agenda = planner::agenda::Agenda::new(pieces.collect()).unwrap();
    problem.agendas.price = planner::agenda::RateAgenda::new(agenda);
    let (_, decision) = planned(&problem);
    let offer = &decision.offers()[0];
    assert_eq!(offer.span, cheap);
    assert_eq!(offer.values.cost, euros_exact(-50 * 3_600_000_000_000_000));
}

/// More nodes than there are is impossible, not an error: all nine starts lack nodes.
#[test]
fn more_nodes_than_there_are_is_impossible() {
    let mut problem = request_for_an_hour(&[10, 10], 8);
    problem.request.nodes = 3;
    let (_, decision) = planned(&problem);
    assert_eq!(decision.word(), "impossible");
    assert_eq!(excluded(&decision), [(ReasonCode::Nodes, 9)]);
}

/// Slots of an hour, and a window from 1:05 to 1:50 without one. As long as it is not 1:00 yet that slot would do as well as the
/// one at 2:00; at 1:10 it is in the past. The exact mode looks at every second.
#[test]
fn a_window_between_two_slots_is_impossible_for_want_of_a_slot() {
    let mut problem = request_for_an_hour(&[10], 3);
    (problem.request.earliest_start, problem.request.latest_start) = (second(3900), second(6600));
    let reason_at = |problem: &PlanningProblem| {
        let (_, decision) = planned(problem);
        assert_eq!((decision.word(), decision.candidate_starts), ("impossible", 0));
        assert_eq!(excluded(&decision), [(ReasonCode::NoSlot, 0)]);
        decision.reasons[0].clone()
    };
    let slot = |before| Shortage::Slot { slot: Seconds::new(HOUR), before, after: hour(2) };
    let reason = reason_at(&problem);
    let expected =
        Binding { start: second(3900), span: hours(1, 2), shortage: slot(Some(hour(1))) };
    assert_eq!(reason.binding, expected);
    assert_eq!(
        reason.detail,
        "reservations start every 60 min, and no such start lies in the window from \
         2026-01-01T01:05:00Z to 2026-01-01T01:50:00Z; the nearest are 2026-01-01T01:00:00Z and \
         2026-01-01T02:00:00Z; with the search \"exact\" every second is looked at"
    );
    problem.now = second(4200);
    let reason = reason_at(&problem);
    let expected = Binding { start: second(4200), span: hours(1, 2), shortage: slot(None) };
    assert_eq!(reason.binding, expected);
    assert!(reason.detail.contains("to 2026-01-01T01:50:00Z; the next is 2026-01-01T02:00:00Z;"));
    // Until 2:30 an hour must have begun at 1:30: 2:00 is too late though the latest start is 3:00.
    problem.request.latest_start = hour(3);
    problem.request.latest_end = Some(second(2 * HOUR + 1800));
    assert!(reason_at(&problem).detail.contains("to 2026-01-01T01:30:00Z;"));
    // A shape of half an hour may start at 2:00.
    problem.request.alternatives = vec![Shape { nodes: 1, duration: Seconds::new(1800) }];
    assert_eq!(start_of(&planned(&problem).1.offers()[0]), 2 * HOUR);
    problem.request.alternatives.clear();
    problem.search = SearchMode::Exact;
    assert_eq!(start_of(&planned(&problem).1.offers()[0]), 4200);
}

fn excluded(decision: &Decision) -> Vec<(ReasonCode, u64)> {
    decision.reasons.iter().map(|reason| (reason.code, reason.excluded_starts)).collect()
}
