//! Conservative backfilling with its arithmetic.

use super::known::{TWO, row, starts};

/// Job 0 has 3 cores of node 0 and is taken to last until 10 s. Job 1 wants both nodes whole: it is promised 10 s. Job 2 of 1 core and
/// 9 s would run until 11 s: it is promised 15 s, when job 1 is over; job 3 of 8 s starts. At 5 s job 0 ends: job 3 is there until 10 s,
/// so nobody moves. Without job 3, job 1 moves to 5 s and job 2 to 10 s; without compression they start when they were promised, although
/// nothing ends then.
#[test]
fn promises_move_when_jobs_end_early() {
    let mut rows = vec![
        row(0, 1, &[3, 1], 5, 10),
        row(0, 2, &[4, 1], 5, 5),
        row(2, 1, &[1, 1], 9, 9),
        row(2, 1, &[1, 1], 8, 8),
    ];
    let played =
        |rows: &[_], backfill| starts(TWO, rows, ["fcfs", backfill, "first_fit", "walltime"]);
    assert_eq!(played(&rows, "conservative"), [0, 10, 15, 2]);
    rows.pop();
    assert_eq!(played(&rows, "conservative"), [0, 5, 10]);
    assert_eq!(played(&rows, "conservative_no_compression"), [0, 10, 15]);
}

/// Jobs of this user are taken to last 3 s after two of 2 and 4 s. Job 2 runs for 20 s from 6 s on. Job 3, which needs both cores,
/// is promised 9 s; as job 2 outlives its estimate then, which doubles, 12 s, 18 s and 30 s. Job 2 ends at 26 s: job 3 moves
/// there, or without compression starts at 30 s.
#[test]
fn who_outlives_an_estimate_keeps_what_it_has() {
    let system = "[[nodes]]\ncount = 1\ncores = 2\n";
    let rows = [
        row(0, 1, &[1], 2, 60),
        row(2, 1, &[1], 4, 60),
        row(6, 1, &[1], 20, 60),
        row(7, 1, &[2], 5, 60),
    ];
    let played = |backfill| starts(system, &rows, ["fcfs", backfill, "first_fit", "last_two"]);
    assert_eq!(played("conservative"), [0, 2, 6, 26]);
    assert_eq!(played("conservative_no_compression"), [0, 2, 6, 30]);
}
