//! Jobs without a walltime: known answers. Nobody can tell when what waits behind them starts; they end all
//! the same.

use super::combinations::parts_of;
use super::switching::{Case, witness};
use super::*;

/// Gates that bound nothing, and five of six machines that compute: 570 W idle, and 5 x 95 W more.
const GATES: [(&str, &[(&str, &str)]); 2] = [("none", &[]), ("power_cap", &[("cap_w", "1045")])];

/// The starts of jobs under conservative backfilling, with or without a gate.
fn conservative_starts(
    rows: &[Row],
    fit: &str,
    (gate, options): (&str, &[(&str, &str)]),
) -> (Vec<i64>, Vec<JobId>) {
    let combination = parts_of(["fcfs", "conservative", fit, gate, "none"]);
    let notes = witness(rows, &Case { combination, ..Case::of(Policy::PowerCap, options) }).notes;
    (notes.played.values().map(|happened| happened.started).collect(), notes.refused)
}

/// Job 1 takes five of six machines, and runs for 10 s. Job 2 takes two: it waits for the end.
#[test]
fn conservative_waits_for_a_job_without_a_walltime() {
    let rows = [(0, 5, 10, NONE), (1, 2, 3, 5)];
    for fit in ["count", "set", "contiguous"] {
        for gate in GATES {
            assert_eq!(conservative_starts(&rows, fit, gate), (vec![0, 10], Vec::new()));
        }
    }
}

/// Seven jobs take five machines each, one after the other: 2 s each, although nobody says so. What they may
/// take together, seven times for ever, is more than all time.
#[test]
fn conservative_plays_jobs_without_walltimes_in_turn() {
    let mut rows = vec![(0, 5, 2, NONE); 7];
    rows.push((0, 2, 1, 1));
    for fit in ["count", "set"] {
        for gate in GATES {
            let expected = vec![0, 2, 4, 6, 8, 10, 12, 14];
            assert_eq!(conservative_starts(&rows, fit, gate), (expected, Vec::new()));
        }
    }
}

/// From 20 s on no machine may compute, for ever. Job 1 takes all machines for at most 20 s; job 2 would take one for
/// 5 s: before 20 s there is a place only if job 1 ends early. It does at 15 s, or at 16 s, which is too late;
/// job 3, which comes at 17 s for 5 s, is refused at once.
#[test]
fn conservative_refuses_a_waiting_job_once_the_cap_never_lets_it_start() {
    let cap = ("power_cap", &[("cap_w", "570"), ("from_s", "20")][..]);
    for fit in ["count", "set"] {
        let starts =
            |run| conservative_starts(&[(0, 6, run, 20), (0, 1, 5, 5), (17, 1, 5, 5)], fit, cap);
        assert_eq!(starts(15), (vec![0, 15], vec![JobId::Number(3)]));
        assert_eq!(starts(16), (vec![0], vec![JobId::Number(2), JobId::Number(3)]));
    }
}

/// Five of six machines may compute, for ever. Jobs 1 and 2 take three each: job 2 waits until job 1 ends at 10 s. Job 3
/// takes two from 1 to 4 s; job 4 takes one and waits for it.
#[test]
fn easy_keeps_a_cap_over_jobs_without_a_walltime() {
    let rows = [(0, 3, 10, NONE), (0, 3, 5, NONE), (1, 2, 3, 9), (2, 1, 3, NONE)];
    for fit in ["count", "set"] {
        let combination = parts_of(["fcfs", "easy", fit, "power_cap", "none"]);
        let case = Case { combination, ..Case::of(Policy::PowerCap, &[("cap_w", "1045")]) };
        let played = witness(&rows, &case).notes.played;
        let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
        assert_eq!(starts, [0, 10, 1, 4]);
    }
}

/// The same where machines are reserved until 18 s, so that nothing happens when it is too late.
#[test]
fn conservative_refuses_what_a_reservation_kept_until_the_cap_forbids_it() {
    let reservations = [batch::reservation::Reservation {
        from: Time::ZERO,
        until: Time::from_seconds(18),
        machines: NodeSet::from_positions(0..6),
    }];
    let options = [("cap_w", "570"), ("from_s", "20")];
    let combination = parts_of(["fcfs", "conservative", "set", "power_cap", "none"]);
    let case =
        Case { combination, reservations: &reservations, ..Case::of(Policy::PowerCap, &options) };
    let notes = witness(&[(0, 1, 5, 5), (0, 1, 2, 2)], &case).notes;
    assert_eq!(notes.refused, [JobId::Number(1)]);
    assert_eq!(notes.played[&2].started, 18);
}
