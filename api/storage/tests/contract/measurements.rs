//! Measurements: batches, late data, what is forgotten.

use std::collections::{BTreeMap, BTreeSet};

use planner::metering::packed::SAMPLES_MS;
use planner::metering::{
    Fate, Meter, MeterScope, QuarterHour, QuarterSum, Sample, SampleTime, ValueKind, integrate,
};
use planner::quantity::Power;
use planner::time::{Seconds, Span};
use storage::{Database, MeasuredQuarters, NewSamples, NewestSample, SampleFates};

use crate::bench::{Bench, on_both_engines, span, t};

on_both_engines![
    what_is_kept_is_the_integral_of_all_samples_whatever_their_order,
    a_gap_and_a_reset_are_missing,
    meters_and_nodes_are_kept_apart,
    more_series_than_a_statement_takes_are_written_at_once,
    many_series_keep_what_is_theirs_in_whatever_order_they_come,
    old_samples_and_quarter_hours_are_forgotten_block_by_block,
    two_who_write_at_once_lose_nothing,
    the_newest_sample_of_energies_comes_with_the_one_before,
];

const DAY: i64 = 86_400;

fn meter(name: &str, kind: ValueKind) -> Meter {
    Meter {
        name: name.into(),
        covers: MeterScope::Node,
        values: kind,
        unit: Meter::pushed_unit(kind),
        period: Seconds::new(60),
        longest_gap: Seconds::new(150),
        zero_is_missing: false,
        least: Power::ZERO,
        most: Power::from_microwatts(1_000_000_000_000),
    }
}

fn at(second: i64, value: i64) -> Sample {
    Sample { at: SampleTime::from_unix_milliseconds(second * 1000), value_milli: value * 1000 }
}

async fn keep(database: &Database, meter: &Meter, node: &str, samples: &[Sample]) -> SampleFates {
    let new = NewSamples { node: node.into(), samples: samples.to_vec() };
    database.keep_samples(meter, vec![new]).await.unwrap()
}

async fn quarters(database: &Database, span: Span) -> BTreeMap<QuarterHour, QuarterSum> {
    let found = database.measured_quarters(span, Some("n1")).await.unwrap();
    let found = found.into_iter().flat_map(|it| it.quarters);
    found.filter(|(_, sum)| *sum != QuarterSum::default()).collect()
}

/// Two days of a minute's samples about midnight, in pieces that come out of order and twice: an hour late in the
/// middle, one sample late at the end of a block, and the first hours last.
async fn what_is_kept_is_the_integral_of_all_samples_whatever_their_order(bench: Bench) {
    let database = &bench.database;
    let power = |n: i64| 300 + n * 7919 % 211;
    let all: Vec<Sample> = (0..1440).map(|n| at(DAY / 2 + n * 60, power(n))).collect();
    let gauge = meter("m", ValueKind::Gauge);
    for (range, fate) in [
        (300..400, Fate::Newest),
        (500..720, Fate::Newest),
        (720..960, Fate::Newest),
        (400..499, Fate::Late),
        (499..500, Fate::Late),
        (350..520, Fate::Doubled),
        (961..1440, Fate::Newest),
        (0..300, Fate::Late),
        (960..961, Fate::Late),
    ] {
        let fates = keep(database, &gauge, "n1", &all[range]).await.fates;
        assert!(fates[0].iter().all(|it| *it == fate), "{fate:?}: {fates:?}");
    }
    let other = [Sample { value_milli: 1, ..all[5] }];
    assert_eq!(keep(database, &gauge, "n1", &other).await.fates, [[Fate::Contradicting]]);
    let whole = span(0, 3 * DAY);
    assert_eq!(quarters(database, whole).await, integrate(&gauge, &all));
    // Of a part of a day no more than its quarter-hours.
    let evening = quarters(database, span(DAY - 901, DAY + 1)).await;
    let numbers: Vec<i64> = evening.keys().map(|quarter| quarter.number()).collect();
    assert_eq!(numbers, [94, 95, 96]);
}

/// 100 W for a minute, then nothing for 151 s; a counter that falls between its second and third sample.
async fn a_gap_and_a_reset_are_missing(bench: Bench) {
    let database = &bench.database;
    let gauge = meter("m", ValueKind::Gauge);
    keep(database, &gauge, "n1", &[at(0, 100), at(60, 100)]).await;
    keep(database, &gauge, "n1", &[at(211, 100)]).await;
    let sum = QuarterSum { energy_uj: 6_000_000_000, covered_ms: 60_000 };
    let first = BTreeMap::from([(QuarterHour::from_number(0), sum)]);
    assert_eq!(quarters(database, span(0, DAY)).await, first);
    let counter = meter("c", ValueKind::Counter);
    let fates = keep(database, &counter, "n2", &[at(0, 100), at(60, 200), at(120, 5)]).await;
    assert_eq!(fates.resets, 1);
    let found = database.measured_quarters(span(0, DAY), Some("n2")).await.unwrap();
    let sum = QuarterSum { energy_uj: 100_000_000, covered_ms: 60_000 };
    assert_eq!(found[0].quarters, [(QuarterHour::from_number(0), sum)]);
}

async fn meters_and_nodes_are_kept_apart(bench: Bench) {
    let database = &bench.database;
    let (gauge, counter) = (meter("a", ValueKind::Gauge), meter("b", ValueKind::Counter));
    // A meter that was described anew is another.
    let anew = meter("a", ValueKind::Counter);
    for (meter, node) in [(&gauge, "n1"), (&gauge, "n2"), (&counter, "n1"), (&anew, "n1")] {
        keep(database, meter, node, &[at(0, 60), at(60, 120)]).await;
    }
    let told = |it: &MeasuredQuarters| {
        let energy_j: i64 = it.quarters.iter().map(|(_, sum)| sum.energy_uj / 1_000_000).sum();
        (it.meter.to_string(), it.values, it.node.to_string(), energy_j)
    };
    let found = database.measured_quarters(span(0, DAY), None).await.unwrap();
    let (gauge, counter) = (ValueKind::Gauge, ValueKind::Counter);
    assert_eq!(
        found.iter().map(told).collect::<Vec<_>>(),
        [
            ("a".into(), gauge, "n1".into(), 5400),
            ("a".into(), gauge, "n2".into(), 5400),
            ("b".into(), counter, "n1".into(), 60),
            ("a".into(), counter, "n1".into(), 60),
        ]
    );
    assert_eq!(database.measured_quarters(span(0, DAY), Some("n1")).await.unwrap().len(), 3);
    assert!(database.measured_quarters(span(0, DAY), Some("n3")).await.unwrap().is_empty());
    assert!(database.measured_quarters(span(DAY, 2 * DAY), None).await.unwrap().is_empty());
}

async fn more_series_than_a_statement_takes_are_written_at_once(bench: Bench) {
    let database = &bench.database;
    let gauge = meter("m", ValueKind::Gauge);
    let name = |n: usize| format!("n{n}").into();
    for minute in [0, 1] {
        let samples = vec![at(minute * 60, 100)];
        let new = (0..2500).map(|n| NewSamples { node: name(n), samples: samples.clone() });
        let fates = database.keep_samples(&gauge, new.collect()).await.unwrap().fates;
        assert_eq!(fates, vec![vec![Fate::Newest]; 2500]);
    }
    let found = database.measured_quarters(span(0, DAY), None).await.unwrap();
    assert_eq!(found.len(), 2500);
    assert!(
        found.iter().all(|it| it.quarters.iter().all(|(_, sum)| sum.energy_uj == 6_000_000_000))
    );
}

/// The nodes with even numbers first, then all of them the other way round, then few of them again. Node n draws
/// 100 W + n in the first minute, which are 6000 J + 60 n where both of its samples are there.
async fn many_series_keep_what_is_theirs_in_whatever_order_they_come(bench: Bench) {
    let database = &bench.database;
    let gauge = meter("m", ValueKind::Gauge);
    let send = async |minute: i64, nodes: Vec<i64>, more: i64| {
        let new = nodes.iter().map(|n| NewSamples {
            node: format!("n{n}").into(),
            samples: vec![at(minute * 60, 100 + n + if *n == 700 { more } else { 0 })],
        });
        database.keep_samples(&gauge, new.collect()).await.unwrap().fates
    };
    let even: Vec<i64> = (0..4500).step_by(2).collect();
    assert_eq!(send(0, even, 0).await, vec![[Fate::Newest]; 2250]);
    assert_eq!(send(1, (0..4500).rev().collect(), 0).await, vec![[Fate::Newest]; 4500]);
    // Far apart from each other, and one of them in contradiction.
    let few: Vec<i64> = (0..4500).rev().step_by(300).map(|n| n - 199).collect();
    let fate = |n: &i64| [if *n == 700 { Fate::Contradicting } else { Fate::Doubled }];
    let expected: Vec<[Fate; 1]> = few.iter().map(fate).collect();
    assert_eq!(expected.iter().filter(|it| **it == [Fate::Contradicting]).count(), 1);
    assert_eq!(send(1, few, 7).await, expected);
    // Odd numbers had no sample at first: theirs come late.
    let odd: Vec<i64> = (0..4500).skip(1).step_by(2).collect();
    assert_eq!(send(0, odd, 0).await, vec![[Fate::Late]; 2250]);
    let found = database.measured_quarters(span(0, DAY), None).await.unwrap();
    assert_eq!(found.len(), 4500);
    for series in found {
        let number: i64 = series.node[1..].parse().unwrap();
        let energy_uj = (6000 + 60 * number) * 1_000_000;
        let sum = QuarterSum { energy_uj, covered_ms: 60_000 };
        assert_eq!(
            series.quarters.iter().map(|(_, sum)| *sum).collect::<Vec<_>>(),
            [sum],
            "{number}"
        );
    }
    let newest = database.newest_samples(t(60)).await.unwrap();
    assert_eq!(newest.iter().map(|it| &it.node).collect::<BTreeSet<_>>().len(), 4500);
    assert!(newest.iter().all(|it| it.sample.at == at(60, 0).at && &*it.meter == "m"));
    assert_eq!(database.newest_samples(t(61)).await.unwrap(), []);
}

/// Six blocks of samples a day. What ends before the instant goes, one start at a time, and quarter-hours stay.
async fn old_samples_and_quarter_hours_are_forgotten_block_by_block(bench: Bench) {
    let database = &bench.database;
    let gauge = meter("m", ValueKind::Gauge);
    let all: Vec<Sample> = (0..2 * 1440).map(|n| at(n * 60, 100)).collect();
    keep(database, &gauge, "n1", &all).await;
    assert_eq!(database.samples_kept_from().await.unwrap(), t(0));
    let block_s = SAMPLES_MS / 1000;
    let thin = async |samples_from, quarters_from| {
        let mut turns = 0;
        while database.thin_measurements(t(samples_from), t(quarters_from)).await.unwrap().is_some()
        {
            turns += 1;
        }
        turns
    };
    assert_eq!(thin(block_s - 1, 0).await, 0, "a block stays until all of it is too old");
    assert_eq!(thin(DAY, 0).await, 6);
    // Of the first block that is there nothing before it is left to bridge from.
    assert_eq!(database.samples_kept_from().await.unwrap(), t(DAY + block_s));
    let kept = quarters(database, span(0, 2 * DAY)).await;
    assert_eq!(kept, integrate(&gauge, &all));
    // New samples go on as before.
    keep(database, &gauge, "n1", &[at(2 * DAY, 100)]).await;
    assert_eq!(thin(DAY, DAY).await, 1);
    let left = quarters(database, span(0, 3 * DAY)).await;
    assert_eq!(left.keys().next().map(|quarter| quarter.start()), Some(t(DAY)));
    assert_eq!(left.len(), 96);
}

/// Of the counter the first sample of a block comes with the last of the block before.
async fn the_newest_sample_of_energies_comes_with_the_one_before(bench: Bench) {
    let database = &bench.database;
    let block_s = SAMPLES_MS / 1000;
    let (gauge, counter) = (meter("g", ValueKind::Gauge), meter("c", ValueKind::Counter));
    keep(database, &gauge, "n1", &[at(0, 100), at(60, 101)]).await;
    keep(database, &counter, "n1", &[at(block_s - 60, 1), at(block_s, 2)]).await;
    keep(database, &counter, "n2", &[at(0, 7)]).await;
    let told =
        |it: &NewestSample| (it.meter.to_string(), it.node.to_string(), it.sample, it.before);
    let newest = async |since| {
        let found = database.newest_samples(t(since)).await.unwrap();
        found.iter().map(told).collect::<Vec<_>>()
    };
    let name = |name: &str| name.to_owned();
    let of_gauge = (name("g"), name("n1"), at(60, 101), None);
    let of_counter = (name("c"), name("n1"), at(block_s, 2), Some(at(block_s - 60, 1)));
    let alone = (name("c"), name("n2"), at(0, 7), None);
    assert_eq!(newest(0).await, [of_gauge.clone(), of_counter.clone(), alone]);
    assert_eq!(newest(60).await, [of_gauge, of_counter]);
    assert!(newest(block_s + 1).await.is_empty());
    // A late sample is not the newest.
    keep(database, &gauge, "n1", &[at(30, 1)]).await;
    assert_eq!(newest(0).await[0].2, at(60, 101));
}

/// Even and odd minutes, by two at once: each pair of neighbours comes from both.
async fn two_who_write_at_once_lose_nothing(bench: Bench) {
    let other = Database::connect(&bench.url).await.unwrap();
    let gauge = meter("m", ValueKind::Gauge);
    let all: Vec<Sample> = (0..240).map(|n| at(n * 60, 100 + n)).collect();
    let write = async |database: &Database, odd: usize| {
        for pair in all.chunks(2) {
            keep(database, &gauge, "n1", &[pair[odd]]).await;
        }
    };
    tokio::join!(write(&bench.database, 0), write(&other, 1));
    assert_eq!(quarters(&bench.database, span(0, DAY)).await, integrate(&gauge, &all));
    other.close().await;
}
