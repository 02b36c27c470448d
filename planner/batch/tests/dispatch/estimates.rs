//! Estimates that are too short or too long: what is told of them, and what they do to waits.

use batch::dispatch::UnitResults;
use batch::dispatch::system::System;

use super::{Row, jobs, play_jobs};

fn row(submitted: i64, units: u32, run: i64, walltime: i64, user: u32) -> Row {
    Row { submitted, units, unit: vec![1], run, walltime, user }
}

fn results(rows: &[Row], backfill: &str, estimate: &str) -> (Vec<i64>, UnitResults) {
    let system = System::of_one_resource("cores", 1, 4);
    let names = ["fcfs", backfill, "first_fit", estimate];
    let (notes, results) = play_jobs(&system, jobs(rows, 1), names, &[]);
    (notes.played.values().map(|it| it.started).collect(), results)
}

/// User 0's job of three cores runs 10 of 60 s, then the same again 30 of 60 s, which by history is taken to last 10 s: 20 s too short. User
/// 1's job of four cores, 40 s at most, waits for it; it runs for 40 s, as long as it may. User 2's job of a core asks for 20 s, submitted when
/// the second has run for 15 s: that has outlived its 10 s and is taken to last 20, so that user 1 is promised the end of these, 5 s
/// on; the job of 20 s waits. By walltimes user 1 is promised 45 s from then, and it starts at once.
///
/// Errors by history: 60 - 10 = 50 s, -20 s, 0, and 20 - 20 = 0: 70 / 4 = 17.5 s; by walltime 50, 30, 0, 0: 20 s.
#[test]
fn a_job_that_outlives_its_estimate_is_corrected_and_told() {
    let rows =
        [row(0, 3, 10, 60, 0), row(20, 3, 30, 60, 0), row(21, 4, 40, 40, 1), row(35, 1, 20, 20, 2)];
    let (starts, by_history) = results(&rows, "easy", "history");
    assert_eq!(starts, [0, 20, 50, 90]);
    let errors = by_history.estimate_errors_s.sums;
    assert_eq!((errors.predicted, errors.overestimates, errors.underestimates), (4, 1, 1));
    assert_eq!((errors.mean_absolute_error, errors.max_underestimate), (17.5, 20.0));
    // 50/10, 20/30, 0 and 0.
    assert!((errors.mean_relative_error - (5.0 + 2.0 / 3.0) / 4.0).abs() < 1e-12);
    let of = |of: &str, name: &str| {
        by_history.error_groups.iter().find(|it| it.of == of && *it.name == *name).unwrap().errors
    };
    assert_eq!(
        (of("user", "user0").underestimated, of("user", "user0").overestimated),
        (20.0, 50.0)
    );
    assert_eq!((of("user", "user1").predicted, of("queue", "").predicted), (1, 4));
    let (starts, by_walltime) = results(&rows, "easy", "walltime");
    assert_eq!(starts, [0, 20, 55, 35]);
    let errors = by_walltime.estimate_errors_s.sums;
    assert_eq!((errors.mean_absolute_error, errors.underestimates), (20.0, 0));
    // Waits of 0, 0, 29 and 55 s, or 0, 0, 34 and 0 s.
    assert_eq!((by_history.mean_waiting_time, by_walltime.mean_waiting_time), (21.0, 8.5));
}

/// A job that ends with its estimate, to the second, is not too long nor too short, and frees its nodes at that instant; so does one that
/// its walltime ends, and one that takes no time. Who asks for no time has no estimate.
#[test]
fn estimates_at_their_edges() {
    let rows = [row(0, 4, 10, 10, 0), row(1, 4, 90, 5, 0), row(2, 4, 0, 5, 0), row(3, 4, 7, 9, 0)];
    let (starts, real) = results(&rows, "easy", "real");
    assert_eq!(starts, [0, 10, 15, 15]);
    // A job of no time is taken to last a microsecond.
    let errors = real.estimate_errors_s.sums;
    assert_eq!((errors.overestimates, errors.underestimates, errors.overestimated), (1, 0, 1e-6));
    let mut without = jobs(&rows, 1);
    for job in &mut without {
        job.walltime = None;
    }
    let system = System::of_one_resource("cores", 1, 4);
    for (estimate, predicted) in [("walltime", 0), ("quantile", 0), ("real", 4)] {
        let names = ["fcfs", "easy", "first_fit", estimate];
        let (_, results) = play_jobs(&system, without.clone(), names, &[]);
        let errors = results.estimate_errors_s.sums;
        assert_eq!((errors.predicted, errors.unpredicted), (predicted, 4 - predicted));
    }
}
