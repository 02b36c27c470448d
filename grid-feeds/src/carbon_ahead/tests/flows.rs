use proptest::prelude::*;

use crate::carbon_ahead::{ZoneBalance, ZoneFlow, traced};

/// MW at g/kWh.
fn zone(power: f64, intensity: f64) -> ZoneBalance {
    ZoneBalance::Generates { power, emitted: power * intensity }
}

fn flow(from: usize, into: usize, power: f64) -> ZoneFlow {
    ZoneFlow { from, into, power }
}

fn assert_near(intensities: &[Option<f64>], expected: &[Option<f64>]) {
    assert_eq!(intensities.len(), expected.len());
    for (intensity, expected) in intensities.iter().zip(expected) {
        match (intensity, expected) {
            (Some(one), Some(other)) => assert!((one - other).abs() < 1e-6, "{intensities:?}"),
            _ => assert_eq!(intensity, expected, "{intensities:?}"),
        }
    }
}

/// 100 MW at 500 g/kWh and 300 MW at 100 g/kWh; 50 MW go from the first into the second:
/// (300 x 100 + 50 x 500) / 350 = 55,000 / 350 = 157.142857.
#[test]
fn of_two_zones_the_one_that_imports_mixes() {
    let zones = [zone(100.0, 500.0), zone(300.0, 100.0)];
    let mixed = Some(55_000.0 / 350.0);
    assert_near(&traced(&zones, &[flow(0, 1, 50.0)]), &[Some(500.0), mixed]);
    assert_near(&traced(&zones, &[]), &[Some(500.0), Some(100.0)]);
}

/// A: 100 MW at 600, B: 50 MW at 0, C: 50 MW at 300; A gives B 50, B gives C 30, C gives A 20.
/// B = (0 + 50 A) / 100 = A / 2. C = (15,000 + 30 B) / 80 = 187.5 + 0.1875 A.
/// 120 A = 60,000 + 20 C = 63,750 + 3.75 A, so that A = 63,750 / 116.25 = 548.387.
#[test]
fn a_loop_of_three_zones_is_solved_at_once() {
    let zones = [zone(100.0, 600.0), zone(50.0, 0.0), zone(50.0, 300.0)];
    let flows = [flow(0, 1, 50.0), flow(1, 2, 30.0), flow(2, 0, 20.0)];
    let first = 63_750.0 / 116.25;
    let expected = [Some(first), Some(first / 2.0), Some(187.5 + 0.1875 * first)];
    assert_near(&traced(&zones, &flows), &expected);
}

/// Nothing is generated, 40 MW come at 500 and 60 MW at 100: (20,000 + 6,000) / 100 = 260.
#[test]
fn a_zone_without_generation_has_what_flows_in() {
    let zones = [zone(0.0, 0.0), zone(100.0, 500.0), zone(100.0, 100.0)];
    let flows = [flow(1, 0, 40.0), flow(2, 0, 60.0)];
    assert_near(&traced(&zones, &flows), &[Some(260.0), Some(500.0), Some(100.0)]);
}

/// Two zones pass power around that nobody generated, and the third takes of it.
#[test]
fn power_that_nobody_generated_has_no_intensity() {
    let zones = [zone(0.0, 0.0), zone(0.0, 0.0), zone(100.0, 100.0), zone(10.0, 10.0)];
    let flows = [flow(0, 1, 5.0), flow(1, 0, 5.0), flow(1, 2, 1.0)];
    assert_near(&traced(&zones, &flows), &[None, None, None, Some(10.0)]);
    assert_near(&traced(&zones[..1], &[]), &[None]);
}

/// What is not known is in all that it reaches, and no further: the first zone imports nothing. With a fixed 400 g/kWh
/// the second has (100 x 100 + 100 x 400) / 200 = 250, whatever flows into the third.
#[test]
fn a_zone_of_which_nothing_is_known_is_a_gap_or_fixed() {
    let flows = [flow(2, 1, 100.0), flow(0, 2, 70.0), flow(0, 1, 0.0)];
    let zones = |third| [zone(100.0, 700.0), zone(100.0, 100.0), third];
    let unknown = traced(&zones(ZoneBalance::Unknown), &flows);
    assert_near(&unknown, &[Some(700.0), None, None]);
    let fixed = traced(&zones(ZoneBalance::Fixed(400.0)), &flows);
    assert_near(&fixed, &[Some(700.0), Some(250.0), Some(400.0)]);
}

/// Each zone anew from the others' last intensities, until nothing changes any more.
fn iterated(zones: &[(f64, f64)], flows: &[ZoneFlow]) -> Vec<f64> {
    let mut intensities = vec![0.0; zones.len()];
    for _ in 0..3000 {
        for (index, &(power, intensity)) in zones.iter().enumerate() {
            let (mut total, mut emitted) = (power, power * intensity);
            for flow in flows.iter().filter(|flow| flow.into == index && flow.from != index) {
                total += flow.power;
                emitted += flow.power * intensities[flow.from];
            }
            intensities[index] = emitted / total;
        }
    }
    intensities
}

proptest! {
    #[test]
    fn intensities_are_those_of_iteration_and_no_emission_is_lost(
        zones in prop::collection::vec((100.0..1000.0_f64, 0.0..900.0_f64), 1..7),
        flows in prop::collection::vec((0..7_usize, 0..7_usize, 0.0..200.0_f64), 0..12),
    ) {
        let flows: Vec<ZoneFlow> = flows
            .into_iter()
            .filter(|&(from, into, _)| from.max(into) < zones.len() && from != into)
            .map(|(from, into, power)| flow(from, into, power))
            .collect();
        let balances: Vec<ZoneBalance> =
            zones.iter().map(|&(power, intensity)| zone(power, intensity)).collect();
        let intensities: Vec<f64> = traced(&balances, &flows).into_iter().flatten().collect();
        prop_assert_eq!(intensities.len(), zones.len());
        for (one, other) in intensities.iter().zip(iterated(&zones, &flows)) {
            prop_assert!((one - other).abs() < 1e-6, "{} is {} by iteration", one, other);
        }
        // What is consumed is what is generated and flows in, less what flows out.
        let consumed = |index: usize| {
            let change = |flow: &ZoneFlow| {
                let into = if flow.into == index { flow.power } else { 0.0 };
                into - if flow.from == index { flow.power } else { 0.0 }
            };
            zones[index].0 + flows.iter().map(change).sum::<f64>()
        };
        let emitted: f64 = zones.iter().map(|(power, intensity)| power * intensity).sum();
        let counted: f64 =
            intensities.iter().enumerate().map(|(index, it)| it * consumed(index)).sum();
        prop_assert!((emitted - counted).abs() < 1e-3, "{} against {}", emitted, counted);
    }
}
