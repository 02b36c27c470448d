//! Names and choices of policies.

use planner::criterion::Values;
use planner::decision::{Outcome, Savings};
use planner::node_set::NodeSet;
use planner::quantity::{CarbonIntensity, Currency, Energy, EnergyPrice, Integral, Power};
use planner::time::{Seconds, Span, Timestamp};
use planner::tolerance::Tolerance;

use super::*;

#[test]
fn each_name_reads_back() {
    let tolerant = ["cost_co2_energy~5", "co2_cost_energy~0.5", "energy_cost_co2~1000"]
        .map(|name| name.parse().unwrap());
    for policy in Policy::all().chain(tolerant) {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    for text in ["asap", "cost_co2_energy~", "cost_co2_energy~0", "knee~5", "cost_co2_energy~1.25"]
    {
        assert_eq!(text.parse::<Policy>(), Err(PolicyError), "{text}");
    }
    let names = Policy::SESAMES.map(|policy| policy.to_string());
    assert_eq!(names, ["asap_first", "asap_least", "cost_co2_energy", "co2_cost_energy"]);
}

/// A start at `hour` of cost and CO2 as given, all of one energy.
fn offer(hour: i64, cost: i128, co2: i128) -> Offer {
    let one = Power::from_microwatts(1);
    let price = Integral::<EnergyPrice>::from_millionth_seconds(cost);
    let intensity = Integral::<CarbonIntensity>::from_millionth_seconds(co2);
    let values = Values {
        energy: Energy::from_microjoules(7),
        cost: one.times_price(price, Currency::EUR),
        co2: one.times_intensity(intensity),
    };
    let start = Timestamp::from_unix_seconds(hour * 3600);
    Offer {
        rankings: Vec::new(),
        span: Span::starting(start, Seconds::ONE).unwrap(),
        ranks: NodeSet::new(),
        values,
        idle_change: None,
        peak_power: one,
        delay: Seconds::new(hour * 3600),
        saves: Savings::against(&values, &values),
        slowing: None,
    }
}

fn decision(pareto: Vec<Offer>) -> Decision {
    Decision {
        outcome: Outcome::Impossible,
        candidate_starts: 0,
        reasons: Vec::new(),
        as_soon_as_possible: None,
        pareto,
        compromise: None,
    }
}

fn hour(policy: &str, decision: &Decision) -> i64 {
    let policy: Policy = policy.parse().unwrap();
    policy.choose(decision, policy).unwrap().delay.get() / 3600
}

#[test]
fn a_tolerant_users_request_gives_way_in_the_first_criterion() {
    let tolerances = |policy: &str| policy.parse::<Policy>().unwrap().tolerances();
    let none = Tolerances::default();
    let cost = Tolerance::new(0.039).unwrap();
    assert_eq!(tolerances("cost_co2_energy~3.9"), Tolerances { cost, ..none });
    let energy = Tolerance::new(10.0).unwrap();
    assert_eq!(tolerances("energy_cost_co2~1000"), Tolerances { energy, ..none });
    assert_eq!(tolerances("cost_co2_energy"), none);
}

/// Cost, CO2 and delay scaled to 0..1 (energy is the same everywhere): (1, 1, 0) is sqrt 2 from the
/// origin, (0.2, 0.2, 0.25) is sqrt 0.1425, (0, 0, 1) is 1: the second.
#[test]
fn the_knee_is_the_start_nearest_to_the_best_of_everything() {
    let front = vec![offer(0, 1100, 110), offer(1, 1020, 102), offer(4, 1000, 100)];
    assert_eq!(hour("knee", &decision(front)), 1);
    assert_eq!(hour("knee", &decision(vec![offer(3, 5, 5)])), 3);
}

#[test]
fn a_mixed_population_follows_each_users_own_policy() {
    let decision = decision(vec![offer(0, 1100, 110), offer(1, 1020, 102), offer(4, 1000, 100)]);
    let choice =
        |user: Policy| Policy::Mixed.choose(&decision, user).map(|offer| offer.delay.get());
    assert_eq!(choice(Policy::Knee), Some(3600));
    assert_eq!(choice(Policy::Mixed), None);
}
