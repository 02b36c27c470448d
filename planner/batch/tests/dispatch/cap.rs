//! A power cap: worked by hand, never exceeded, and against a plain program for a strict queue.

use std::collections::BTreeMap;

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::system::System;
use batch::dispatch::{UnitRefusal, UnitResults};
use planner::quantity::Energy;
use proptest::prelude::*;

use super::{Row, jobs, play_capped};

/// Two nodes of four cores, which draw 1 W idle and 3 W in use: 8 W idle.
pub(super) const SYSTEM: &str =
    "[[nodes]]\ncount = 2\ncores = 4\n[nodes.power]\ncores = { idle_w = 1, full_w = 3 }\n";

/// From when to when each job ran, and what was refused.
struct Runs {
    ran: BTreeMap<i64, (i64, i64)>,
    refused: Vec<i64>,
}

fn play(
    jobs: Vec<UnitJob>,
    caps: &[(i64, i64, i64)],
    [order, backfill, power]: [&str; 3],
) -> (Runs, UnitResults) {
    let system = System::parse(SYSTEM).unwrap();
    let names = [order, backfill, "first_fit", "walltime"];
    let (notes, results) = play_capped(&system, jobs, names, caps, power);
    let ran = notes.played.into_iter().map(|(number, it)| (number, (it.started, it.finished)));
    let refused = notes.refused.into_iter().map(|(number, why)| {
        assert_eq!(why, UnitRefusal::AboveTheCap);
        number
    });
    (Runs { ran: ran.collect(), refused: refused.collect() }, results)
}

pub(super) fn row(submitted: i64, units: u32, run: i64, walltime: i64) -> Row {
    Row { submitted, units, unit: vec![1], run, walltime, user: 0 }
}

/// The cap is 16 W: 8 W beside idle nodes, four cores in use. Job 0 has three for 20 s at most and ends after 10 s; job 1 asks for two,
/// 8 + 6 + 4 = 18 W, and waits until 10 s; job 2, one core for 5 s, starts before it under EASY: 16 W until 5 s. Job 0 really takes 150 J:
/// 15 W where 9 W were expected, so that 8 + (15 - 3) = 20 W are drawn, and 22 W with job 2.
/// By history job 3, which is like job 0, is taken to draw 15 W: 8 + 12 = 20 W are never allowed. By full power it starts at 30 s.
#[test]
fn what_is_expected_keeps_the_cap_and_what_is_measured_is_told() {
    let rows = [row(0, 3, 10, 20), row(0, 2, 10, 10), row(1, 1, 5, 5), row(30, 3, 10, 20)];
    let with_energy = |rows: &[Row]| {
        let mut jobs = jobs(rows, 1);
        jobs[0].energy = Energy::from_joules(150.0);
        jobs
    };
    let caps = [(0, i64::MAX, 16)];
    let (runs, results) = play(with_energy(&rows), &caps, ["fcfs", "easy", "full"]);
    let all: Vec<(i64, i64)> = runs.ran.into_values().collect();
    assert_eq!(all, [(0, 10), (10, 20), (1, 6), (30, 40)]);
    let cap = results.supply.unwrap().cap.unwrap();
    // From 0 to 1 s 20 W, to 6 s 22 W, to 10 s 20 W: 4 + 30 + 16 = 50 J.
    assert_eq!((cap.power_cap_exceeded_s, cap.power_cap_exceeded_j), (10.0, 50.0));
    assert_eq!((cap.max_measured_power_w, cap.max_expected_power_w), (22.0, 16.0));
    assert_eq!((cap.max_power_cap_excess_w, cap.power_cap_covered_share), (6.0, 1.0));
    let errors = results.power_errors_w.unwrap().sums;
    assert_eq!((errors.underestimates, errors.max_underestimate, errors.predicted), (1, 6.0, 4));
    let (runs, results) = play(with_energy(&rows), &caps, ["fcfs", "easy", "history"]);
    assert_eq!(runs.refused, [3]);
    assert_eq!(results.supply.unwrap().cap.unwrap().jobs_refused_by_cap, 1);
}

/// Two cores may work until 20 s, six until 40 s, then one. Job 0 of four waits until 20 s, job 1 of four until job 0 has ended at 30 s, when
/// job 2 of two starts beside it. Job 3 of six asks for 9 s: at 35 s, when they have ended, it would be above the cap at 40 s and for ever,
/// so it is refused. Job 4 of two behind it asks for 5 s, until 40 s, and starts.
#[test]
fn caps_that_change_are_waited_for() {
    let caps = [(0, 20, 12), (20, 40, 20), (40, i64::MAX, 10)];
    let rows =
        [row(0, 4, 10, 10), row(1, 4, 5, 10), row(2, 2, 3, 5), row(21, 6, 8, 9), row(22, 2, 3, 5)];
    let (runs, _) = play(jobs(&rows, 1), &caps, ["fcfs", "none", "full"]);
    let ran: Vec<(i64, i64)> = runs.ran.into_values().collect();
    assert_eq!((ran, runs.refused), (vec![(20, 30), (30, 35), (30, 33), (35, 38)], vec![3]));
}

fn cap_at(caps: &[(i64, i64, i64)], second: i64) -> i64 {
    caps.iter().find(|it| it.0 <= second && second < it.1).map_or(i64::MAX, |it| it.2)
}

/// Strictly in the order of submission, second by second; caps end with a high one.
fn plain(rows: &[Row], caps: &[(i64, i64, i64)]) -> BTreeMap<i64, (i64, i64)> {
    let mut starts: BTreeMap<usize, i64> = BTreeMap::new();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| (rows[*at].submitted, *at));
    for now in 0.. {
        while let Some(&at) = order.iter().find(|at| !starts.contains_key(at)) {
            let row = &rows[at];
            let used: i64 = starts
                .iter()
                .filter(|(at, start)| now < *start + rows[**at].run.min(rows[**at].walltime))
                .map(|(at, _)| i64::from(rows[*at].units))
                .sum();
            let fits = row.submitted <= now && used + i64::from(row.units) <= 8;
            let draws = |second: i64| -> i64 {
                let running = starts.iter().filter(|(at, start)| {
                    now < *start + rows[**at].run.min(rows[**at].walltime)
                        && second < *start + rows[**at].walltime
                });
                8 + 2
                    * (running.map(|(at, _)| i64::from(rows[*at].units)).sum::<i64>()
                        + i64::from(row.units))
            };
            if !fits || (now..now + row.walltime).any(|it| draws(it) > cap_at(caps, it)) {
                break;
            }
            starts.insert(at, now);
        }
        if starts.len() == rows.len() {
            break;
        }
        assert!(now < 2000);
    }
    let ran = |(at, start): (usize, i64)| {
        let end = start + rows[at].run.min(rows[at].walltime);
        (i64::try_from(at).unwrap(), (start, end))
    };
    starts.into_iter().map(ran).collect()
}

fn workload() -> impl Strategy<Value = Vec<Row>> {
    let one = (0_i64..40, 1_u32..=8, 1_i64..12, -2_i64..8);
    let one = one.prop_map(|(at, units, run, more)| row(at, units, run, (run + more).max(1)));
    prop::collection::vec(one, 1..20)
}

/// Caps of 8 W (nobody works) to 24 W (all cores do), at last 24 W.
fn caps() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    prop::collection::vec((1_i64..25, 8_i64..=24), 0..6).prop_map(|steps| {
        let (mut caps, mut at) = (Vec::new(), 0);
        for (length, watts) in steps {
            caps.push((at, at + length, watts));
            at += length;
        }
        caps.push((at, 1_000_000, 24));
        caps
    })
}

const BACKFILLS: [&str; 5] =
    ["none", "easy", "easy_per_node", "conservative", "conservative_no_compression"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_strict_queue_starts_as_in_the_plain_program(rows in workload(), caps in caps()) {
        let (runs, _) = play(jobs(&rows, 1), &caps, ["fcfs", "none", "full"]);
        prop_assert_eq!(runs.ran, plain(&rows, &caps));
    }

    /// With all orders and backfillings no second is above the cap, and all jobs run.
    #[test]
    fn no_second_is_above_the_cap(rows in workload(), caps in caps()) {
        for order in ["fcfs", "sjf", "priority_rule"] {
            for backfill in BACKFILLS {
                check(&rows, &caps, order, backfill)?;
            }
        }
    }

    /// A cap that binds nobody changes nothing.
    #[test]
    fn a_high_cap_changes_nothing(rows in workload()) {
        for backfill in BACKFILLS {
            check_high(&rows, 24, "fcfs", backfill)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The same of plans. If the cap has no room for all jobs at once, the model has one more resource, and there may be plans that are as good.
    #[test]
    fn plans_keep_the_cap(rows in workload(), caps in caps()) {
        check(&rows, &caps, "plan", "none")?;
        check_high(&rows, 1000, "plan", "none")?;
    }
}

fn check(
    rows: &[Row],
    caps: &[(i64, i64, i64)],
    order: &str,
    backfill: &str,
) -> Result<(), TestCaseError> {
    let (runs, results) = play(jobs(rows, 1), caps, [order, backfill, "full"]);
    prop_assert_eq!(runs.ran.len(), rows.len());
    let last = runs.ran.values().map(|it| it.1).max().unwrap();
    for second in 0..last {
        let at_work = runs.ran.iter().filter(|(_, it)| it.0 <= second && second < it.1);
        let cores = at_work.map(|(at, _)| rows[usize::try_from(*at).unwrap()].units);
        let drawn = 8 + 2 * i64::from(cores.sum::<u32>());
        prop_assert!(drawn <= cap_at(caps, second), "{} {} at {}", order, backfill, second);
    }
    let cap = results.supply.unwrap().cap.unwrap();
    prop_assert!(cap.power_cap_exceeded_s <= 0.0);
    Ok(())
}

fn check_high(rows: &[Row], watts: i64, order: &str, backfill: &str) -> Result<(), TestCaseError> {
    let (high, _) = play(jobs(rows, 1), &[(0, 1_000_000, watts)], [order, backfill, "full"]);
    let names = [order, backfill, "first_fit", "walltime"];
    let notes = super::play(&System::parse(SYSTEM).unwrap(), rows, names);
    let free: Vec<i64> = notes.played.values().map(|it| it.started).collect();
    prop_assert_eq!(high.ran.values().map(|it| it.0).collect::<Vec<_>>(), free);
    Ok(())
}
