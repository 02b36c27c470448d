//! A power cap under conservative backfilling and in plans, worked by hand.
//!
//! Two nodes of four cores draw 8 W idle, and 2 W more for each core in use.

use batch::dispatch::system::System;

use super::cap::{SYSTEM, row};
use super::{Row, jobs, play_capped};

const FOR_EVER: i64 = i64::MAX;

/// When each job starts; -1 for those that are refused.
fn starts(rows: &[Row], caps: &[(i64, i64, i64)], names: [&str; 3]) -> Vec<i64> {
    let [order, backfill, estimate] = names;
    let system = System::parse(SYSTEM).unwrap();
    let names = [order, backfill, "first_fit", estimate];
    let (notes, _) = play_capped(&system, jobs(rows, 1), names, caps, "full");
    let numbers = 0..i64::try_from(rows.len()).unwrap();
    numbers.map(|number| notes.played.get(&number).map_or(-1, |it| it.started)).collect()
}

const CONSERVATIVE: [&str; 3] = ["fcfs", "conservative", "walltime"];
const NO_COMPRESSION: [&str; 3] = ["fcfs", "conservative_no_compression", "walltime"];
const PLAN: [&str; 3] = ["plan", "none", "walltime"];

/// Four cores may work. Job 0 has three until 20 s. Job 1 wants two for 10 s: at 20 s. Job 2 wants one for 25 s: at once, since with job 1
/// three work. Job 3 wants one for 30 s: at once five would work, at 20 s four do. Job 0 ends at 10 s: jobs 1 and 3 start then, where
/// promises become earlier.
#[test]
fn promises_leave_each_other_their_power() {
    let rows = [row(0, 3, 10, 20), row(0, 2, 10, 10), row(0, 1, 25, 25), row(0, 1, 30, 30)];
    let caps = [(0, FOR_EVER, 16)];
    assert_eq!(starts(&rows, &caps, CONSERVATIVE), [0, 10, 0, 10]);
    assert_eq!(starts(&rows, &caps, NO_COMPRESSION), [0, 20, 0, 20]);
}

/// All eight cores may work until 10 s, two until 30 s, and then eight. Job 0 has four until 10 s. Job 1 wants four for 15 s: at 30 s. Job 2
/// wants two for 20 s: at once. Job 3 wants one for 10 s: at once, seven work. Job 4 wants one for 12 s: at once three would work at
/// 10 s; at 20 s job 2 has ended.
#[test]
fn promises_know_when_the_cap_changes() {
    let rows = [
        row(0, 4, 10, 10),
        row(0, 4, 15, 15),
        row(0, 2, 20, 20),
        row(0, 1, 10, 10),
        row(0, 1, 12, 12),
    ];
    let caps = [(0, 10, 24), (10, 30, 12), (30, FOR_EVER, 24)];
    for names in [CONSERVATIVE, NO_COMPRESSION] {
        assert_eq!(starts(&rows, &caps, names), [0, 30, 0, 0, 20]);
    }
}

/// Four cores may work. Job 0 has three, for 5 s as is estimated and for 20 s at most: its power is its own so long. Job 1 of two cores is
/// promised 20 s, and starts when job 0 has ended.
#[test]
fn power_is_kept_for_as_long_as_jobs_may_last() {
    let rows = [row(0, 3, 5, 20), row(0, 2, 5, 10)];
    let caps = [(0, FOR_EVER, 16)];
    assert_eq!(starts(&rows, &caps, ["fcfs", "conservative", "real"]), [0, 5]);
    assert_eq!(starts(&rows, &caps, ["fcfs", "conservative_no_compression", "real"]), [0, 20]);
}

/// Six cores may work until 30 s, and then two. Job 0 has four until 20 s. Job 1 wants four for 15 s: from then on it cannot end before the
/// cap falls, and it is refused when nothing else runs. Job 2 wants two for 12 s, at once.
#[test]
fn a_job_that_finds_no_place_under_the_cap_is_refused() {
    let rows = [row(0, 4, 20, 20), row(1, 4, 15, 15), row(1, 2, 12, 12)];
    let caps = [(0, 30, 20), (30, FOR_EVER, 12)];
    for names in [CONSERVATIVE, NO_COMPRESSION, PLAN] {
        assert_eq!(starts(&rows, &caps, names), [0, -1, 1]);
    }
}

/// Four of eight cores may work. Job 0 has three until 10 s. At 1 s job 1 wants four for 10 s and job 2 one for 100 s: it is kept back, as on
/// four cores, since job 1 would wait for 100 s.
#[test]
fn a_plan_shares_out_the_power() {
    let rows = [row(0, 3, 10, 10), row(1, 4, 10, 10), row(1, 1, 100, 100)];
    assert_eq!(starts(&rows, &[(0, FOR_EVER, 16)], PLAN), [0, 10, 20]);
    assert_eq!(starts(&rows, &[(0, FOR_EVER, 24)], PLAN), [0, 1, 1]);
}

/// Two cores may work until 10 s, and then eight. Job 0 wants three for 10 s: at 10 s. If job 2 of one core and 20 s starts at once, job 1 of
/// two cores and 5 s waits until 10 s; if job 1 does, job 2 waits until 5 s, which is less.
#[test]
fn a_plan_knows_when_the_cap_changes() {
    let rows = [row(0, 3, 10, 10), row(0, 2, 5, 5), row(0, 1, 20, 20)];
    let caps = [(0, 10, 12), (10, FOR_EVER, 24)];
    assert_eq!(starts(&rows, &caps, PLAN), [10, 0, 5]);
}

/// Six cores may work until 20 s, and then two. Job 0 of four cores may last 30 s, for which the cap has no room before it ends at 60 s,
/// whatever is estimated. So job 1 of three cores starts at once, although it came later.
#[test]
fn a_plan_holds_nothing_for_who_may_not_start_yet() {
    let rows = [row(0, 4, 5, 30), row(0, 3, 10, 10)];
    let caps = [(0, 20, 20), (20, 60, 12), (60, FOR_EVER, 20)];
    assert_eq!(starts(&rows, &caps, ["plan", "none", "real"]), [60, 0]);
}
