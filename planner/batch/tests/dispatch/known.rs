//! Schedules with their arithmetic.

use batch::dispatch::jobs::{EURORA_SYSTEM, EuroraSpan, eurora};
use batch::dispatch::system::System;

use super::{Row, play, play_jobs};

pub(super) fn row(submitted: i64, units: u32, unit: &[u32], run: i64, walltime: i64) -> Row {
    Row { submitted, units, unit: unit.to_vec(), run, walltime, user: 0 }
}

pub(super) fn starts(system: &str, rows: &[Row], names: [&str; 4]) -> Vec<i64> {
    let system = System::parse(system).unwrap();
    play(&system, rows, names).played.values().map(|it| it.started).collect()
}

pub(super) const TWO: &str = "[[nodes]]\ncount = 2\ncores = 4\nmemory_gb = 8\n";

/// Job 0 has 3 cores of node 0 until 10 s. Job 1 wants both nodes whole: it is promised 10 s. Job 2 of 1 core and 9 s ends at 11 s,
/// and would run beyond that on a promised node, where nothing is left: it waits until 15 s. Job 3 of 8 s ends at 10 s: it starts.
#[test]
fn easy_leaves_the_first_what_it_is_promised() {
    let rows = [
        row(0, 1, &[3, 1], 10, 10),
        row(1, 2, &[4, 1], 5, 5),
        row(2, 1, &[1, 1], 9, 9),
        row(2, 1, &[1, 1], 8, 8),
    ];
    assert_eq!(starts(TWO, &rows, ["fcfs", "easy", "first_fit", "walltime"]), [0, 10, 15, 2]);
    assert_eq!(starts(TWO, &rows, ["fcfs", "none", "first_fit", "walltime"]), [0, 10, 15, 15]);
    // With the run times known in place of walltimes nothing changes here; the shortest first lets all small ones go first.
    assert_eq!(starts(TWO, &rows, ["sjf", "none", "first_fit", "real"]), [0, 10, 15, 15]);
}

/// Job 1 wants 2 cores of one node: promised is node 0 at 10 s. Beside the promise 2 cores are left there: job 2 of 1 core and 100 s
/// starts at once on node 0. Per node it is kept off node 0, and node 1 is full until 20 s.
#[test]
fn per_node_others_leave_whole_nodes() {
    let rows = [
        row(0, 1, &[3, 1], 10, 10),
        row(0, 1, &[4, 1], 20, 20),
        row(1, 1, &[2, 1], 5, 5),
        row(2, 1, &[1, 1], 100, 100),
    ];
    assert_eq!(starts(TWO, &rows, ["fcfs", "easy", "first_fit", "walltime"]), [0, 0, 10, 2]);
    // At 10 s job 2 starts, and then nobody is promised anything.
    assert_eq!(
        starts(TWO, &rows, ["fcfs", "easy_per_node", "first_fit", "walltime"]),
        [0, 0, 10, 10]
    );
}

/// Memory is scarce, not cores: of two jobs with 8 GB each one waits on one node.
#[test]
fn every_resource_counts() {
    let rows = [row(0, 3, &[1, 5], 10, 10), row(0, 1, &[1, 3], 10, 10), row(1, 2, &[1, 3], 4, 4)];
    // Job 0 does not fit (two units at most): it is refused. Job 1 has 3 of 8 GB of node 0, job 2 3 and 3 more on nodes 0 and 1.
    let system = System::parse(TWO).unwrap();
    let notes = play(&system, &rows, ["fcfs", "none", "first_fit", "walltime"]);
    assert_eq!(notes.refused.len(), 1);
    assert_eq!(notes.played[&2].places, [(0, 1), (1, 1)]);
}

/// The priority rule goes on after job 1, which does not fit: job 2 starts at 2 s. In the order of submission it would wait.
#[test]
fn the_priority_rule_goes_on_after_failures() {
    let rows = [row(0, 1, &[3, 1], 10, 10), row(1, 2, &[4, 1], 5, 5), row(2, 1, &[1, 1], 20, 20)];
    let names = ["priority_rule", "none", "first_fit", "walltime"];
    // Job 2 is on node 0 until 22 s, so job 1 waits for it.
    assert_eq!(starts(TWO, &rows, names), [0, 22, 2]);
    assert_eq!(starts(TWO, &rows, ["fcfs", "none", "first_fit", "walltime"]), [0, 10, 15]);
}

/// The last two jobs of the user lasted 2 and 4 s: the job is taken to last 3 s, outlives that and runs 20 s. Job 3, which needs
/// the whole system, is promised 9 s, then, as job 2 outlives its estimate, 12 s and 18 s (it doubles), and starts at 26 s when job 2
/// ends. Job 4 of 10 s (estimated 3 s, which fits before 9 s) may go before it.
#[test]
fn estimates_that_are_outlived_are_corrected() {
    let system = "[[nodes]]\ncount = 1\ncores = 2\n";
    let rows = [
        row(0, 1, &[1], 2, 60),
        row(2, 1, &[1], 4, 60),
        row(6, 1, &[1], 20, 60),
        row(7, 1, &[2], 5, 60),
        row(7, 1, &[1], 1, 60),
    ];
    // At 7 s job 4 is taken to last 3 s, until 10 s, beyond the promise of 9 s: it waits. No event is before 26 s.
    assert_eq!(starts(system, &rows, ["fcfs", "easy", "first_fit", "last_two"]), [0, 2, 6, 26, 31]);
    let mut rows = rows.to_vec();
    rows.push(row(10, 1, &[1], 2, 60));
    // At 10 s job 2 is taken to end at 12 s: jobs 4 and 5 of 3 s would end at 13 s. At 13 s (job 6) it is taken to end at 18 s, and
    // all three of 3 s fit one after the other where they come in time: job 4 starts then.
    rows.push(row(13, 1, &[1], 2, 60));
    let told = starts(system, &rows, ["fcfs", "easy", "first_fit", "last_two"]);
    assert_eq!((told[3], told[4]), (26, 13));
}

/// Waits of 0 and 10 s, runs of 10 and 5 s: slowdowns 1 and 3, mean 2.
#[test]
fn results_add_up() {
    let system = System::parse(TWO).unwrap();
    let rows = [row(0, 1, &[4, 1], 10, 10), row(0, 2, &[4, 1], 5, 5)];
    let names = ["fcfs", "none", "first_fit", "walltime"];
    let (_, results) = play_jobs(&system, super::jobs(&rows, 2), names, &[]);
    assert_eq!(
        (results.mean_slowdown, results.max_waiting_time, results.makespan),
        (2.0, 10.0, 15.0)
    );
    // 10 s x 4 + 5 s x 8 = 80 of 15 s x 8 cores.
    assert!((results.load_ratio[0].used - 80.0 / 120.0).abs() < 1e-12);
    // 5 of 12 on one node, 10 of 24 on two.
    assert!((results.mean_allocation_efficiency - 5.0 / 12.0).abs() < 1e-12);
    // After the first decision one job waits, after the other two none.
    assert!((results.mean_queue_size - 1.0 / 3.0).abs() < 1e-12);
}

/// Two jobs of one decision on node 0: the first takes 3 of 12 that are free, the second 3 of 9.
#[test]
fn efficiency_counts_what_was_free_before_each_job() {
    let system = System::parse(TWO).unwrap();
    let rows = [row(0, 1, &[2, 1], 10, 10), row(0, 1, &[2, 1], 10, 10)];
    let names = ["fcfs", "none", "first_fit", "walltime"];
    let (_, results) = play_jobs(&system, super::jobs(&rows, 2), names, &[]);
    let expected = f64::midpoint(3.0 / 12.0, 3.0 / 9.0);
    assert!((results.mean_allocation_efficiency - expected).abs() < 1e-12);
}

/// A fortnight of Eurora's workload under all estimates: real ones have no error, history a smaller one than walltimes.
#[test]
fn history_knows_more_than_walltimes() {
    let system = System::parse(EURORA_SYSTEM).unwrap();
    let error = |estimate| {
        let names = ["fcfs", "easy", "weighted", estimate];
        let (_, results) =
            play_jobs(&system, eurora(EuroraSpan::YEAR, 15_000, 5).collect(), names, &[]);
        assert_eq!(results.jobs_refused, 0);
        results.mean_estimate_error.unwrap()
    };
    let [walltime, history, last_two, quantile] =
        ["walltime", "history", "last_two", "quantile"].map(error);
    assert!(error("real").abs() < 1e-9);
    let all = format!("{walltime} {history} {last_two} {quantile}");
    assert!(history * 4.0 < walltime && last_two < walltime && quantile < walltime, "{all}");
}
