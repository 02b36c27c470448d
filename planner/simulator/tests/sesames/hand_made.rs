//! Months made by hand, whose answers can be reckoned on paper.

use super::*;

/// A: one node for 2 h, start by 06:00. B: both for 1 h, by 03:00. C: both for 3 h, at 00:00 only.
///
/// As soon as possible: A 00:00-02:00, so B 02:00-03:00, and C finds a node taken.
/// A costs 10 W x 2 h = 20 Wh at 200 EUR/MWh: 0.004 EUR; B 20 W x 1 h, the same.
/// Mean lag (0 + 2) / 2 = 1 h. Occupancy (1 x 2 + 2 x 1) / (2 x 24) = 1/12.
///
/// Cost first: A waits for 04:00 and costs 0.002 EUR; B finds 200 EUR/MWh wherever it starts, so
/// 00:00, and C finds both nodes taken. Mean cost (0.002 + 0.004) / 2 = 0.003 EUR, a quarter
/// saved; mean lag (4 + 0) / 2 = 2 h. Energy and CO2 are the same: 20 Wh = 72 kJ, at 50 g/kWh 1 g.
#[test]
fn cost_first_waits_for_the_cheap_hours_and_asap_does_not() {
    let (parameters, inputs) =
        hand_made(vec![request(1, 2, 6), request(2, 1, 3), request(2, 3, 0)]);
    let policies = [Policy::AsapFirst, cost_co2_energy()];
    let cell = cell(&parameters, &inputs, &policies);
    let runs = judged(&cell);
    let starts = |policy| -> Vec<Option<Timestamp>> {
        reservations(&runs[0], policy).into_iter().map(|s| s.map(|s| s.start)).collect()
    };
    assert_eq!(starts(Policy::AsapFirst), [Some(at(0)), Some(at(2 * HOUR)), None]);
    assert_eq!(starts(cost_co2_energy()), [Some(at(4 * HOUR)), Some(at(0)), None]);

    let summary = Summary::of(&cell, &runs);
    let near = |value: Option<f64>, expected: f64| {
        assert!(value.is_some_and(|value| (value - expected).abs() < 1e-9), "{value:?}");
    };
    for (policy, cost, lag_h, saved) in
        [(Policy::AsapFirst, 0.004, 1.0, 0.0), (cost_co2_energy(), 0.003, 2.0, 0.25)]
    {
        let of = summary.policy(policy).unwrap();
        for (measure, value) in [
            (Measure::EnergyJ, 72_000.0),
            (Measure::Cost, cost),
            (Measure::Co2G, 1.0),
            (Measure::StartLagS, lag_h * 3600.0),
            (Measure::UnsuccessfulNodes, 1.0 / 3.0),
            (Measure::UnsuccessfulPowerCap, 0.0),
            (Measure::Occupancy, 1.0 / 12.0),
        ] {
            near(of.means.get(measure), value);
        }
        let savings = of.savings.unwrap().savings_vs_asap_first;
        near(savings.cost, saved);
        near(savings.energy_j, 0.0);
        assert_eq!(of.ci95, None);
    }
    // Both served A and B: 0.006 EUR in place of 0.008.
    let of = summary.policy(cost_co2_energy()).unwrap();
    let month = &of.month;
    let served = (month.requests, month.served, month.not_served_nodes);
    assert_eq!(served, (3.0, 2.0, 1.0));
    near(Some(month.cost), 0.006);
    near(month.covered_share, 1.0);
    let same = of.same_requests.unwrap();
    near(Some(same.requests), 2.0);
    near(Some(same.asap_first.cost), 0.008);
    near(same.saved.cost, 0.25);
    // Of two requests a draw has A twice, half saved, or B twice, nothing.
    let [from, to] = same.saved_ci95.cost.unwrap();
    near(Some(from), 0.0);
    near(Some(to), 0.5);
    assert_eq!(summary.policy(Policy::AsapFirst).unwrap().same_requests, None);
}

/// 200 EUR/MWh until 04:00 and 100 after: within 100 % of the least cost both are as good, and equal in
/// CO2 and energy, so the earliest wins (the model, section 2). Within 99 % they are not.
#[test]
fn a_tolerant_policy_takes_the_earliest_of_what_is_as_good() {
    let (parameters, inputs) = hand_made(vec![request(1, 2, 6)]);
    let start = |name: &str| {
        let policy: Policy = name.parse().unwrap();
        let runs = judged(&cell(&parameters, &inputs, &[policy]));
        reservations(&runs[0], policy)[0].map(|reserved| reserved.start)
    };
    assert_eq!(start("cost_co2_energy~100"), Some(at(0)));
    assert_eq!(start("cost_co2_energy~99"), Some(at(3 * HOUR)));
    assert_eq!(start("cost_co2_energy"), Some(at(4 * HOUR)));
}

/// The cap holds one node (20 W at maximum) and both are asked for; then there is no cap agenda
/// where it is needed; then there are not as many nodes, which the cap has no part in.
#[test]
fn the_cause_is_the_power_cap_only_where_a_start_had_enough_nodes() {
    let cause = |request: Request, capped: Span| {
        let (parameters, inputs) = hand_made(vec![request]);
        let parameters = Parameters { allow_uncovered: true, ..parameters };
        let value = Power::from_watts(30.0).unwrap();
        let cap = Agenda::new(vec![Piece { span: capped, value }]).unwrap();
        let inputs = Inputs { power_cap: Source::Given(Some(cap)), ..inputs };
        let runs = judged(&cell(&parameters, &inputs, &[Policy::AsapLeast]));
        runs[0].policies[0].outcomes[0].cause()
    };
    assert_eq!(cause(request(1, 1, 3), hours(0, 48)), None);
    assert_eq!(cause(request(2, 1, 3), hours(0, 48)), Some(Cause::PowerCap));
    assert_eq!(cause(request(2, 1, 3), hours(3, 48)), Some(Cause::PowerCap));
    assert_eq!(cause(request(2, 1, 3), hours(10, 48)), Some(Cause::AgendaGap));
    assert_eq!(cause(request(3, 1, 3), hours(0, 48)), Some(Cause::Nodes));
}
