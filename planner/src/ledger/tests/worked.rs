//! Worked examples with their arithmetic.

use super::*;
use crate::ledger::{
    Amounts, Hour, LedgerRow, Metered, NodeEnergy, RackEnergy, corrections, counted_in,
};
use crate::time::Seconds;

fn rows(tariff: &Tariff, intervals: &[Interval<'_>]) -> Vec<LedgerRow> {
    let mut hour = Hour::new(tariff);
    for interval in intervals {
        hour.add(interval);
    }
    hour.rows()
}

fn of(rows: &[LedgerRow], party: &Party) -> Amounts {
    rows.iter().find(|row| row.party == *party).map(|row| row.amounts).unwrap()
}

fn measured(ordinal: u32, joules: i128, covered: i64) -> NodeEnergy {
    let energy = super::joules(joules);
    NodeEnergy { ordinal, metered: Metered { energy, covered: Seconds::new(covered) } }
}

/// Ada has the first of two nodes for 300 of 900 s, at 500 W: 150,000 J. Idle are 600 s of it and all of the
/// other: 100 W x 1500 s = 150,000 J. At 72 EUR/MWh, 2e-8 EUR/J: 3000 millionths each. At 360 g/kWh, 1e-4 g/J:
/// 15 g each.
#[test]
fn estimates_are_the_calibrated_powers() {
    let (nodes, claims) = (nodes(2), [claim(reservation(1, "ada"), (100, 400), 0..1)]);
    let tariff = tariff(&[(0, 3600, 72)], &[(0, 3600, 360)]);
    let rows = rows(&tariff, &[interval(0, &nodes, &claims)]);
    let same = Amounts {
        nodes: 1,
        node_s: 300,
        missing_s: 300,
        measured_j: 0,
        estimated_j: 150_000,
        quarters_j: [150_000, 0, 0, 0],
        cost_millionths: Some(3000),
        co2_location_mg: Some(15_000),
        ..Amounts::default()
    };
    assert_eq!(of(&rows, &reservation(1, "ada")), same);
    let idle = Amounts { nodes: 2, node_s: 1500, missing_s: 1500, ..same };
    assert_eq!(of(&rows, &Party::of(Holder::Idle)), idle);
}

/// The same node with 360,000 J measured over 600 of the 900 s. Estimates are 500 W x 300 s = 150,000 J and
/// 100 W x 600 s = 60,000 J, 5 : 2, so of what was measured ada has 257,142.857 J and idle 102,857.143 J. Of
/// the 300 s without measurements ada has a third, 100 s, and idle 200 s; their estimates there are a third
/// of the full ones, 50,000 J and 20,000 J.
#[test]
fn what_was_measured_is_split_by_the_estimates() {
    let (nodes, claims) = (nodes(1), [claim(reservation(1, "ada"), (100, 400), 0..1)]);
    let measured = [measured(0, 360_000, 600)];
    let interval = Interval { measured: &measured, ..interval(0, &nodes, &claims) };
    let rows = rows(&tariff(&[], &[]), &[interval]);
    let ada = of(&rows, &reservation(1, "ada"));
    assert_eq!((ada.measured_j, ada.estimated_j, ada.missing_s), (257_143, 50_000, 100));
    let idle = of(&rows, &Party::of(Holder::Idle));
    assert_eq!((idle.measured_j, idle.estimated_j, idle.missing_s), (102_857, 20_000, 200));
}

/// The price is 36 EUR/MWh for 300 s and 72 for 600 s: its mean over the quarter-hour is 60. 500 W x 900 s =
/// 450,000 J = 0.125 kWh: 7500 millionths. Over the first 300 s alone it is 36: 150,000 J cost 1500.
#[test]
fn cost_is_the_integral_over_the_time_in_which_it_was_drawn() {
    let tariff = tariff(&[(0, 300, 36), (300, 3600, 72)], &[]);
    let nodes = nodes(2);
    let claims = [
        claim(reservation(1, "ada"), (0, 900), 0..1),
        claim(reservation(2, "bob"), (0, 300), 1..2),
    ];
    let rows = rows(&tariff, &[interval(0, &nodes, &claims)]);
    assert_eq!(of(&rows, &reservation(1, "ada")).cost_millionths, Some(7500));
    assert_eq!(of(&rows, &reservation(2, "bob")).cost_millionths, Some(1500));
}

/// No price is known of the last 300 s: 450,000 J have none for those who had the node over them.
#[test]
fn energy_without_a_price_is_told_and_costs_nothing() {
    let tariff = tariff(&[(0, 600, 36), (900, 1800, 36)], &[]);
    let (nodes, claims) = (nodes(1), [claim(reservation(1, "ada"), (0, 1800), 0..1)]);
    let intervals = [interval(0, &nodes, &claims), interval(900, &nodes, &claims)];
    let ada = of(&rows(&tariff, &intervals), &reservation(1, "ada"));
    assert_eq!((ada.cost_millionths, ada.unpriced_j), (Some(4500), 450_000));
    assert_eq!((ada.co2_location_mg, ada.unrated_j), (None, 900_000));
    let first = of(&rows(&tariff, &intervals[..1]), &reservation(1, "ada"));
    assert_eq!((first.cost_millionths, first.unpriced_j), (None, 450_000));
}

/// By the other accounting 720 g/kWh, 2e-4 g/J, are known of the first quarter-hour alone: of ada's 900,000 J 450,000 J emit 90 g.
/// Restated without her second quarter-hour, and with 360 g/kWh of the first, she has 45 g; where nothing is known of it any
/// more, what was stated stays.
#[test]
fn co2_by_the_other_accounting_stands_beside() {
    let known = |grams| Tariff { other: Some(intensities(&[(0, 900, grams)])), ..tariff(&[], &[]) };
    let (nodes, claims) = (nodes(1), [claim(reservation(1, "ada"), (0, 1800), 0..1)]);
    let intervals = [interval(0, &nodes, &claims), interval(900, &nodes, &claims)];
    let before = rows(&known(720), &intervals);
    let ada = of(&before, &reservation(1, "ada"));
    assert_eq!((ada.other_co2_mg, ada.other_rated_j), (Some(90_000), 450_000));
    assert_eq!((ada.other_unrated_j(), ada.co2_location_mg), (450_000, None));
    let corrected = |tariff: &Tariff| corrections(before.clone(), rows(tariff, &intervals[..1]));
    let ada = of(&corrected(&known(360)), &reservation(1, "ada"));
    assert_eq!((ada.other_co2_mg, ada.other_rated_j), (Some(-45_000), 0));
    let ada = of(&corrected(&tariff(&[], &[])), &reservation(1, "ada"));
    assert_eq!((ada.other_co2_mg, ada.other_rated_j, ada.estimated_j), (None, 0, -450_000));
}

/// Ada's node was measured at 100.4 J, and the facility is estimated as much again: a row has 100 J each, all of which emit
/// something, though both together are 201 J.
#[test]
fn all_energy_is_rated_where_all_intensities_are_known() {
    let (nodes, claims) = (nodes(1), [claim(reservation(1, "ada"), (0, 900), 0..1)]);
    let metered =
        Metered { energy: Energy::from_microjoules(100_400_000), covered: Seconds::new(900) };
    let of_node = [NodeEnergy { ordinal: 0, metered }];
    let overheads = Overheads::of_millionths(vec![1_000_000]);
    let interval =
        Interval { measured: &of_node, overheads: &overheads, ..interval(0, &nodes, &claims) };
    let known = Tariff { other: Some(intensities(&[(0, 900, 360)])), ..tariff(&[], &[]) };
    let rows = rows(&known, &[interval]);
    for party in [reservation(1, "ada"), Party::of(Holder::Facility)] {
        let its = of(&rows, &party);
        assert_eq!((its.energy_j(), its.other_rated_j, its.other_unrated_j()), (100, 100, 0));
    }
}

/// Ada draws 500 W in the second quarter-hour, 450,000 J, and for 300 s of the fourth, 150,000 J, of which 100 J and
/// 0.6 J more were measured in the second: 100.6 J are 101 J.
#[test]
fn energy_is_told_by_quarter_hour() {
    let nodes = nodes(1);
    let claims = [
        claim(reservation(1, "ada"), (900, 1800), 0..1),
        claim(reservation(1, "ada"), (3300, 3600), 0..1),
    ];
    let metered =
        Metered { energy: Energy::from_microjoules(100_600_000), covered: Seconds::new(450) };
    let of_node = [NodeEnergy { ordinal: 0, metered }];
    let intervals = [
        interval(0, &nodes, &claims),
        Interval { measured: &of_node, ..interval(900, &nodes, &claims) },
        interval(1800, &nodes, &claims),
        interval(2700, &nodes, &claims),
    ];
    let rows = rows(&tariff(&[], &[]), &intervals);
    let ada = of(&rows, &reservation(1, "ada"));
    assert_eq!((ada.measured_j, ada.estimated_j), (101, 225_000 + 150_000));
    assert_eq!(ada.quarters_j, [0, 225_101, 0, 150_000]);
    let idle = of(&rows, &Party::of(Holder::Idle));
    assert_eq!(idle.quarters_j, [90_000, 0, 90_000, 60_000]);
}

/// Two jobs of 900 s and one of the last 450 s on a node that the first's owner reserved: 225 s each for the
/// two in the first half, 150 s each for the three in the second. At 500 W: 187,500 J, 187,500 J, 75,000 J.
/// The reservation itself has none of it, for somebody's jobs run all the time.
#[test]
fn jobs_on_a_node_share_it_equally_at_each_instant() {
    let nodes = nodes(1);
    let claims = [
        claim(reservation(1, "ada"), (0, 900), 0..1),
        claim(job("7", "ada"), (0, 900), 0..1),
        claim(job("8", "bob"), (0, 900), 0..1),
        claim(job("9", "eve"), (450, 900), 0..1),
    ];
    let rows = rows(&tariff(&[], &[]), &[interval(0, &nodes, &claims)]);
    let told = |party: &Party| (of(&rows, party).node_s, of(&rows, party).energy_j());
    assert_eq!(rows.len(), 3);
    assert_eq!(told(&job("7", "ada")), (375, 187_500));
    assert_eq!(told(&job("8", "bob")), (375, 187_500));
    assert_eq!(told(&job("9", "eve")), (150, 75_000));
}

/// Off for 300 s, then on its way for 300 s of which the last 100 s are reserved, then reserved: the
/// reservation comes first. Off draws nothing, the way 100 W x 200 s, the reservation 500 W x 400 s.
#[test]
fn a_node_is_reserved_before_it_is_switched_or_off() {
    let nodes = nodes(1);
    let of_state = |holder, bounds, draw| Claim { draw, ..claim(Party::of(holder), bounds, 0..1) };
    let claims = [
        of_state(Holder::Off, (0, 600), ClaimedDraw::Nothing),
        of_state(Holder::Switching, (300, 600), ClaimedDraw::Idle),
        claim(reservation(1, "ada"), (500, 900), 0..1),
    ];
    let rows = rows(&tariff(&[], &[]), &[interval(0, &nodes, &claims)]);
    let told = |party: &Party| (of(&rows, party).node_s, of(&rows, party).energy_j());
    assert_eq!(told(&Party::of(Holder::Off)), (300, 0));
    assert_eq!(told(&Party::of(Holder::Switching)), (200, 20_000));
    assert_eq!(told(&reservation(1, "ada")), (400, 200_000));
}

/// ARCHER2's users' report: nodes 347.596 kWh; switches, storage and cooling units 15 % of that, 52.139 kWh; plant 10
/// % of the new total, 39.974 kWh; together 439.709 kWh.
#[test]
fn the_report_of_archer2_is_reproduced() {
    let overheads = Overheads::of_millionths(vec![150_000, 100_000]);
    let kwh = |energy: Energy| format!("{:.3}", energy.as_kilowatt_hours());
    let nodes_energy = joules(1_251_345_600);
    assert_eq!(kwh(nodes_energy), "347.596");
    let parts: Vec<String> = overheads.energies(nodes_energy).into_iter().map(kwh).collect();
    assert_eq!(parts, ["52.139", "39.974"]);
    // As rows of an hour: 1,251,345,600 J measured, and 331,606,584 J of the facility estimated.
    let (one, nothing) = (nodes(1), [measured(0, 1_251_345_600, 900)]);
    let measured = Interval { measured: &nothing, overheads: &overheads, ..interval(0, &one, &[]) };
    let rows = rows(&tariff(&[], &[]), &[measured]);
    assert_eq!(of(&rows, &Party::of(Holder::Idle)).measured_j, 1_251_345_600);
    assert_eq!(of(&rows, &Party::of(Holder::Facility)).estimated_j, 331_606_584);
    let total: i64 = rows.iter().map(|row| row.amounts.energy_j()).sum();
    assert_eq!(kwh(joules(total.into())), "439.709");
}

/// Two nodes draw 100,000 J together by their meters; their rack's meter says 115,000 J, the site's 150,000 J:
/// 15,000 J can be given to no node, and 35,000 J are the facility's. All is 150,000 J.
#[test]
fn meters_of_racks_and_site_tell_what_is_left() {
    let (nodes, of_nodes) = (nodes(2), [measured(0, 40_000, 900), measured(1, 60_000, 900)]);
    let all = NodeSet::from_ranges(std::iter::once(0..2).collect());
    let racks = [RackEnergy { nodes: all, energy: joules(115_000) }];
    let interval = Interval {
        measured: &of_nodes,
        racks: &racks,
        site: Some(joules(150_000)),
        ..interval(0, &nodes, &[])
    };
    let rows = rows(&tariff(&[], &[]), &[interval]);
    assert_eq!(of(&rows, &Party::of(Holder::Unallocated)).measured_j, 15_000);
    assert_eq!(of(&rows, &Party::of(Holder::Facility)).measured_j, 35_000);
    assert_eq!(rows.iter().map(|row| row.amounts.energy_j()).sum::<i64>(), 150_000);
}

/// It was stated that ada had the node; then it was heard that bob's job ran on it. What ada had is taken
/// back, and bob has it; heard again, there is nothing to say.
#[test]
fn corrections_are_differences() {
    let (nodes, tariff) = (nodes(1), tariff(&[(0, 900, 72)], &[]));
    let ada = [claim(reservation(1, "ada"), (0, 900), 0..1)];
    let bob = [ada[0].clone(), claim(job("7", "bob"), (0, 900), 0..1)];
    let before = rows(&tariff, &[interval(0, &nodes, &ada)]);
    let now = rows(&tariff, &[interval(0, &nodes, &bob)]);
    let corrections = corrections(before.clone(), now.clone());
    assert_eq!(of(&corrections, &reservation(1, "ada")).energy_j(), -450_000);
    assert_eq!(of(&corrections, &reservation(1, "ada")).cost_millionths, Some(-9000));
    assert_eq!(of(&corrections, &job("7", "bob")).energy_j(), 450_000);
    let all = before.into_iter().chain(corrections);
    assert_eq!(super::super::corrections(all, now), []);
}

/// January is closed and February is open from second 7200: a correction of second 0 counts there, one of
/// 10,800 in its own hour.
#[test]
fn a_closed_month_stays_closed() {
    assert_eq!(counted_in(at(0), at(7200)), at(7200));
    assert_eq!(counted_in(at(10_800), at(7200)), at(10_800));
}
