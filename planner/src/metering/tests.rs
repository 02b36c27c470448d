//! Energy by quarter-hours: worked examples, and properties against a brute force.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use proptest::prelude::*;

use super::*;
use crate::quantity::Power;
use crate::time::{Seconds, Span, Timestamp};

fn meter(kind: ValueKind) -> Meter {
    Meter {
        name: "m".into(),
        covers: MeterScope::Node,
        values: kind,
        unit: Meter::pushed_unit(kind),
        period: Seconds::new(60),
        longest_gap: Seconds::new(150),
        zero_is_missing: false,
        least: Power::ZERO,
        most: Power::from_microwatts(2_000_000_000),
    }
}

/// Samples of seconds and watts or joules.
fn samples(list: &[(i64, i64)]) -> Vec<Sample> {
    let sample = |&(second, value): &(i64, i64)| Sample {
        at: SampleTime::from_unix_milliseconds(second * 1000),
        value_milli: value * 1000,
    };
    list.iter().map(sample).collect()
}

/// Quarter-hours with their joules and measured seconds.
fn quarters(kind: ValueKind, list: &[(i64, i64)]) -> Vec<(i64, i64, i64)> {
    let found = integrate(&meter(kind), &samples(list));
    let told = |(quarter, sum): (QuarterHour, QuarterSum)| {
        (quarter.number(), sum.energy_uj / 1_000_000, sum.covered_ms / 1000)
    };
    found.into_iter().map(told).collect()
}

/// From 870 s to 930 s the power rises from 100 W to 160 W; at 900 s it is 130 W.
/// Before: (100 + 130) / 2 x 30 s = 3450 J; after: (130 + 160) / 2 x 30 s = 4350 J.
#[test]
fn a_trapezium_is_cut_where_the_quarter_hour_ends() {
    let found = quarters(ValueKind::Gauge, &[(870, 100), (930, 160)]);
    assert_eq!(found, [(0, 3450, 30), (1, 4350, 30)]);
}

/// A counter that grows by 9000 J in 90 s, of which 60 s lie before 900 s: 6000 J and 3000 J.
#[test]
fn what_a_counter_counted_is_drawn_evenly() {
    let found = quarters(ValueKind::Counter, &[(840, 5000), (930, 14_000)]);
    assert_eq!(found, [(0, 6000, 60), (1, 3000, 30)]);
    let differences = quarters(ValueKind::Difference, &[(840, 1), (930, 9000)]);
    assert_eq!(differences, found);
}

/// From 0 to 60 s: 100 W x 60 s = 6000 J. The next sample comes 151 s later, more than the longest gap of 150 s;
/// then 60 s of 200 W: 12,000 J. 120 s of the quarter-hour were measured and 780 s are missing.
#[test]
fn nothing_is_integrated_across_a_gap() {
    let list = [(0, 100), (60, 100), (211, 200), (271, 200)];
    let found = integrate(&meter(ValueKind::Gauge), &samples(&list));
    let sum = found[&QuarterHour::from_number(0)];
    assert_eq!((sum.energy_uj, sum.covered_ms), (18_000_000_000, 120_000));
    assert_eq!((sum.covered(), sum.missing()), (Seconds::new(120), Seconds::new(780)));
    let bridged = quarters(ValueKind::Gauge, &[(0, 100), (150, 100)]);
    assert_eq!(bridged, [(0, 15_000, 150)], "as long as the longest gap");
}

/// The counter falls at 120 s, and at 240 s it has leapt by 1e6 J in 60 s, 16.7 kW where 2 kW is the most: both
/// minutes are missing. What is left: 6000 J of 0..60 s and 7000 J of 120..180 s.
#[test]
fn nothing_is_integrated_across_a_reset_or_a_leap() {
    let list = [(0, 1000), (60, 7000), (120, 500), (180, 7500), (240, 1_007_500)];
    assert_eq!(quarters(ValueKind::Counter, &list), [(0, 13_000, 120)]);
    let samples = samples(&list);
    let counter = meter(ValueKind::Counter);
    let bridges: Vec<Bridge> =
        samples.windows(2).map(|pair| bridge(&counter, pair[0], pair[1])).collect();
    assert_eq!(bridges, [Bridge::Bridged, Bridge::Reset, Bridge::Bridged, Bridge::Reset]);
    let merged = merge(&counter, &KeptSamples::default(), &samples);
    assert_eq!(merged.resets, 2);
}

/// A gauge says 130 W. A counter that grew by 9000 J in 90 s drew 100 W; one that fell, or whose sample before is too
/// far away, says nothing.
#[test]
fn the_newest_power_of_energies_is_the_mean_since_the_sample_before() {
    let power = |kind, before: Option<(i64, i64)>, newest: (i64, i64)| {
        let before = before.map(|it| samples(&[it])[0]);
        let power = newest_power(&meter(kind), samples(&[newest])[0], before);
        power.map(|it| it.as_microwatts() / 1_000_000)
    };
    assert_eq!(power(ValueKind::Gauge, None, (90, 130)), Some(130));
    assert_eq!(power(ValueKind::Counter, Some((0, 1000)), (90, 10_000)), Some(100));
    assert_eq!(power(ValueKind::Difference, Some((0, 1)), (90, 9000)), Some(100));
    assert_eq!(power(ValueKind::Counter, None, (90, 10_000)), None);
    assert_eq!(power(ValueKind::Counter, Some((0, 1000)), (90, 10)), None);
    assert_eq!(power(ValueKind::Counter, Some((0, 1000)), (151, 10_000)), None);
}

/// 1 mW and 2 mW a millisecond apart make 1.5 uJ: rounded down to 1 uJ.
#[test]
fn a_pair_is_rounded_down_to_a_microjoule() {
    let at = SampleTime::from_unix_milliseconds;
    let pair = [Sample { at: at(5), value_milli: 1 }, Sample { at: at(6), value_milli: 2 }];
    let found = integrate(&meter(ValueKind::Gauge), &pair);
    assert_eq!(found[&QuarterHour::from_number(0)], QuarterSum { energy_uj: 1, covered_ms: 1 });
}

#[test]
fn a_span_has_every_quarter_hour_that_it_touches() {
    let at = Timestamp::from_unix_seconds;
    let within = |start, end| {
        let span = Span::new(at(start), at(end)).unwrap();
        QuarterHour::within(span).map(QuarterHour::number).collect::<Vec<_>>()
    };
    assert_eq!(within(0, 900), [0]);
    assert_eq!(within(899, 901), [0, 1]);
    assert_eq!(QuarterHour::of(at(1799)).start(), at(900));
}

/// P(t) = 400 W + 100 W sin(2 pi t / T) with T = 900 s, sampled every h = 60 s for an hour: four whole periods, so
/// that the exact energy is 400 W x 3600 s = 1.44e6 J, and of quarter-hours that begin an eighth of a period later
/// 400 W x 900 s as well.
///
/// The trapezium rule errs by at most max|P''| h^2 / 12 per second (any textbook of numerical analysis, such as
/// Atkinson, 5.1), max|P''| = 100 W (2 pi / T)^2 = 0.004874 W/s^2: 1.462 W, hence 1316 J of a quarter-hour's 360,000 J.
/// A quarter-hour whose ends lie between samples is cut on the straight line between them, which is at most
/// max|P''| h^2 / 8 = 2.193 W off, for less than 2 h: 264 J more. Samples are rounded to milliwatts, 0.45 J, and each of
/// 15 pairs down to a microjoule.
#[test]
fn a_known_curve_has_its_integral_within_what_its_sampling_allows() {
    let period = 900.0;
    let phase = 112.5;
    let curve = |t: f64| 400.0 + 100.0 * (2.0 * PI * (t - phase) / period).sin();
    for offset_s in [0, 7, 30] {
        let list: Vec<Sample> = (0..=62)
            .map(|n| {
                let second = n * 60 - 60 + offset_s;
                let milli = (curve(second as f64) * 1000.0).round();
                let at = SampleTime::from_unix_milliseconds(second * 1000);
                Sample { at, value_milli: format!("{milli}").parse().unwrap() }
            })
            .collect();
        let found = integrate(&meter(ValueKind::Gauge), &list);
        for quarter in 0..4 {
            let sum = found[&QuarterHour::from_number(quarter)];
            assert_eq!(sum.covered_ms, QUARTER_MS);
            let error_j = sum.energy().as_joules() - 360_000.0;
            let cut_j = if offset_s == 0 { 0.0 } else { 264.0 };
            assert!(error_j.abs() < 1316.0 + cut_j + 0.5, "{error_j} J with {offset_s} s");
        }
    }
}

/// The energy of a pair within a quarter-hour, millisecond by millisecond from the definition: exact areas as
/// fractions with the denominator `2 x length`.
fn brute_force(meter: &Meter, list: &[Sample]) -> BTreeMap<i64, (i128, i64)> {
    let mut quarters: BTreeMap<i64, (i128, i64)> = BTreeMap::new();
    for pair in list.windows(2) {
        let (start, end) = (pair[0].at.as_unix_milliseconds(), pair[1].at.as_unix_milliseconds());
        let (from_milli, to_milli) =
            (i128::from(pair[0].value_milli), i128::from(pair[1].value_milli));
        let length = i128::from(end - start);
        let drawn = match meter.values {
            ValueKind::Gauge => None,
            ValueKind::Counter => Some(to_milli - from_milli),
            ValueKind::Difference => Some(to_milli),
        };
        let most = i128::from(meter.most.as_microwatts()) * length;
        if end - start > meter.longest_gap.get() * 1000
            || drawn.is_some_and(|energy| energy < 0 || energy * 1_000_000 > most)
        {
            continue;
        }
        // Twice the exact energy since the start, times the length.
        let since = |t: i64| {
            let passed = i128::from(t - start);
            match drawn {
                None => {
                    2 * from_milli * passed * length + (to_milli - from_milli) * passed * passed
                }
                Some(energy) => 2 * energy * 1000 * passed,
            }
        };
        let cuts = (start + 1..end).filter(|t| t % QUARTER_MS == 0);
        let ends: Vec<i64> = [start].into_iter().chain(cuts).chain([end]).collect();
        for part in ends.windows(2) {
            let whole = |t| since(t).div_euclid(2 * length);
            let quarter = quarters.entry(part[0].div_euclid(QUARTER_MS)).or_default();
            quarter.0 += whole(part[1]) - whole(part[0]);
            quarter.1 += part[1] - part[0];
        }
    }
    quarters
}

fn plain(found: &BTreeMap<QuarterHour, QuarterSum>) -> BTreeMap<i64, (i128, i64)> {
    let told = found
        .iter()
        .map(|(quarter, sum)| (quarter.number(), (i128::from(sum.energy_uj), sum.covered_ms)));
    told.filter(|(_, sum)| *sum != (0, 0)).collect()
}

fn any_kind() -> impl Strategy<Value = ValueKind> {
    prop::sample::select(ValueKind::ALL)
}

/// Samples over about an hour with gaps, resets and leaps, in time order.
fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    let step = prop_oneof![6 => 1..70_000_i64, 2 => Just(60_000_i64), 1 => 140_000..400_000_i64];
    let value = prop_oneof![8 => 0..500_000_i64, 1 => Just(0), 1 => 0..i64::MAX / 4];
    prop::collection::vec((step, value), 0..60).prop_map(|steps| {
        let mut at = 0;
        let mut sample = |(step, value_milli)| {
            at += step;
            Sample { at: SampleTime::from_unix_milliseconds(at), value_milli }
        };
        steps.into_iter().map(&mut sample).collect()
    })
}

proptest! {
    #[test]
    fn quarter_hours_have_what_a_brute_force_finds(kind in any_kind(), list in any_samples()) {
        // A gauge's values were judged before.
        let most = if kind == ValueKind::Gauge { 500_000 } else { i64::MAX };
        let list: Vec<Sample> = list.into_iter().filter(|it| it.value_milli <= most).collect();
        let meter = meter(kind);
        let found = integrate(&meter, &list);
        let (expected, found) = (brute_force(&meter, &list), plain(&found));
        let expected: BTreeMap<_, _> = expected.into_iter().filter(|it| it.1 != (0, 0)).collect();
        prop_assert_eq!(&found, &expected);
        for (_, (_, covered_ms)) in found {
            prop_assert!((0..=QUARTER_MS).contains(&covered_ms));
        }
    }

    /// Whatever the order and the batches in which samples come, and however often, the quarter-hours are those of
    /// all samples together.
    #[test]
    fn the_order_and_the_batches_of_samples_do_not_matter(
        kind in any_kind(),
        (list, order) in any_samples().prop_flat_map(|list| {
            let indices: Vec<usize> = (0..list.len()).chain(0..list.len() / 3).collect();
            (Just(list), Just(indices).prop_shuffle())
        }),
        batch in 1..9_usize,
        forgetful in any::<bool>(),
    ) {
        let meter = meter(kind);
        // A gauge's values were judged before.
        let most = if kind == ValueKind::Gauge { 500_000 } else { i64::MAX };
        let plausible = |it: &Sample| Sample { value_milli: it.value_milli % most, ..*it };
        let list: Vec<Sample> = list.iter().map(plausible).collect();
        let mut kept = KeptSamples::default();
        let mut quarters: BTreeMap<QuarterHour, QuarterSum> = BTreeMap::new();
        let mut counts = (0, 0);
        for indices in order.chunks(batch) {
            let mut new: Vec<Sample> = indices.iter().map(|index| list[*index]).collect();
            new.sort_by_key(|sample| sample.at);
            let late = new.first().is_some_and(|it| kept.newest.is_some_and(|newest| it.at <= newest.at));
            // What comes after the newest needs only that.
            let at_hand = if forgetful && !late { vec![] } else { kept.samples.clone() };
            let merged =
                merge(&meter, &KeptSamples { samples: at_hand.clone(), newest: kept.newest }, &new);
            for (quarter, change) in &merged.changes {
                quarters.entry(*quarter).or_default().add(*change);
            }
            let doubled = merged.fates.iter().filter(|fate| **fate == Fate::Doubled).count();
            counts = (counts.0 + merged.fates.len() - doubled, counts.1 + doubled);
            let mut samples = kept.samples.clone();
            samples.extend(merged.samples.iter().filter(|it| !at_hand.contains(it)).copied());
            samples.sort_by_key(|sample| sample.at);
            samples.dedup();
            prop_assert_eq!(merged.newest, samples.last().copied());
            kept = KeptSamples { samples, newest: merged.newest };
        }
        prop_assert_eq!(&kept.samples, &list);
        prop_assert_eq!(counts, (list.len(), list.len() / 3));
        prop_assert_eq!(plain(&quarters), plain(&integrate(&meter, &list)));
    }
}

#[test]
fn another_value_for_the_same_instant_changes_nothing() {
    let list = samples(&[(0, 100), (60, 100)]);
    let other = samples(&[(0, 100), (60, 101), (120, 100), (120, 102)]);
    let kept = KeptSamples { samples: list.clone(), newest: list.last().copied() };
    let merged = merge(&meter(ValueKind::Gauge), &kept, &other);
    let expected = [Fate::Doubled, Fate::Contradicting, Fate::Newest, Fate::Contradicting];
    assert_eq!(merged.fates, expected);
    assert_eq!(merged.samples, samples(&[(0, 100), (60, 100), (120, 100)]));
    assert_eq!(plain(&merged.changes), BTreeMap::from([(0, (6_000_000_000, 60_000))]));
}

/// 855 s of 100 W are 95 % of a quarter-hour, and 85,500 J; a millisecond less is too little.
#[test]
fn a_quarter_hour_has_a_mean_power_once_nearly_all_of_it_was_measured() {
    let sum = QuarterSum { energy_uj: 85_500_000_000, covered_ms: 855_000 };
    assert_eq!(sum.mean_power(), Some(Power::from_microwatts(100_000_000)));
    assert_eq!(QuarterSum { covered_ms: 854_999, ..sum }.mean_power(), None);
    assert_eq!(QuarterSum::default().mean_power(), None);
}
