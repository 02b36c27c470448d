//! Small traces of known answers.

use super::*;

const EASY: Way = Way(Policy::Easy, COUNT, Tie::Batch);
const CONSERVATIVE: Way = Way(Policy::Conservative, COUNT, Tie::Batch);
const FCFS: Way = Way(Policy::Fcfs, COUNT, Tie::Batch);

/// The five tasks of Simbatch's experiment 1 (its figure 3) on five processors.
const EXPERIMENT_1: [Row; 5] = [
    (0, 1, 10_800, 12_000),
    (600, 5, 3_300, 4_000),
    (1_800, 2, 5_400, 7_000),
    (3_600, 1, 4_000, 5_000),
    (4_200, 3, 2_700, 3_500),
];

/// Task 2 takes every processor, and task 1 may last until 12000 s: it is planned for then. Task 3 may
/// last until 1800 + 7000 = 8800 s and task 4 until 3600 + 5000 = 8600 s; both are over before 12000 s,
/// and with task 1 they take 1 + 2 + 1 = 4 of 5: they start at once. Task 5 takes 3: one is free until
/// task 3 or 4 ends. It is planned for 8800 s, when 2 + 1 + 1 = 4 are free, until 12300 s; that is
/// beyond 12000 s, so it is planned after task 2, for 12000 + 4000 = 16000 s. Task 3 ends at 1800 +
/// 5400 = 7200 s: now 1 + 2 = 3 are free, and 7200 + 3500 = 10700 s is before 12000 s. Task 5
/// starts. Task 1 ends at 10800 s, when task 5 (7200 + 2700 = 9900 s) and task 4 (7600 s) have: task 2
/// starts. Tasks 3, 4 and 5 go before task 2, in that order, as in the Gantt chart of OAR.
#[test]
fn simbatch_experiment_1_starts_tasks_3_4_and_5_before_task_2() {
    for allocation in [COUNT, SET] {
        let way = Way(Policy::Conservative, allocation, Tie::Batch);
        assert_eq!(starts(5, &EXPERIMENT_1, way), [0, 10_800, 1_800, 3_600, 7_200]);
    }
}

/// In order nobody passes task 2: at its end, 10800 + 3300 = 14100 s, tasks 3 and 4 start, and 2 are
/// left; task 5 takes 3 and waits for task 4 at 14100 + 4000 = 18100 s.
#[test]
fn simbatch_experiment_1_in_order() {
    assert_eq!(starts(5, &EXPERIMENT_1, FCFS), [0, 10_800, 14_100, 14_100, 18_100]);
}

/// Two of three machines are free. Job 2 takes 3 and is promised 10 s. Job 3 would end at 3 + 8 = 11 s on
/// a machine that job 2 needs: not yet. Job 4 ends at 4 + 6 = 10 s: it starts. Job 1 ends at 6 s
/// already, job 4 at 10 s: job 2 starts then, and job 3 after it at 15 s.
#[test]
fn easy_backfills_what_ends_by_the_shadow() {
    let rows = [(0, 1, 6, 10), (1, 3, 5, 9), (3, 1, 8, 8), (4, 1, 6, 6)];
    assert_eq!(starts(3, &rows, EASY), [0, 10, 15, 4]);
}

/// Four machines; job 1 holds 2 until 10 s. Job 2 takes 3: at 10 s, when 4 are free, 1 is left over. Job 3 takes
/// it for 50 s. Job 4 would need a second: it waits until job 2 has ended at 10 + 5 = 15 s.
#[test]
fn easy_backfills_on_machines_left_over_at_the_shadow() {
    let rows = [(0, 2, 10, 10), (1, 3, 5, 5), (2, 1, 50, 50), (3, 1, 50, 50)];
    assert_eq!(starts(4, &rows, EASY), [0, 10, 2, 15]);
}

/// On 4 machines job 1 holds 2 until 10 s. Job 2 takes 4: planned for 10 to 20 s. Job 3 takes 3: planned for
/// 20 to 30 s. Job 4 takes 2 for 9 s: free at 3 s, over at 12 s; EASY would not let it delay job 2
/// either. Job 5 takes 1 for 25 s: under conservative backfilling it would delay job 2; beside job
/// 3 it fits from 20 s. Job 2 runs 4 s only: at 14 s job 3 moves from 20 s to 14 s, and job 5 too; job 4, which
/// takes 2, waits for job 3's end at 24 s.
#[test]
fn conservative_moves_all_when_a_job_ends_early() {
    let rows = [(0, 2, 10, 10), (1, 4, 4, 10), (2, 3, 10, 10), (3, 2, 9, 9), (4, 1, 25, 25)];
    assert_eq!(starts(4, &rows, CONSERVATIVE), [0, 10, 14, 24, 14]);
}

/// Four machines: jobs 1 to 3 take 0, 1 and 2, and job 2 ends at 5 s. Job 4 takes two: 1 and 3 are free then,
/// which are no neighbours; 0 and 1 are from 10 s on.
#[test]
fn contiguous_waits_for_neighbours_and_best_effort_does_not() {
    let rows = [(0, 1, 10, 10), (0, 1, 5, 5), (0, 1, 20, 20), (1, 2, 9, 9)];
    let on = |policy| {
        let happened = &play(4, &rows, Way(policy, SET, Tie::Batch)).played[&4];
        (happened.started, happened.machines.clone())
    };
    assert_eq!(on(Policy::ConservativeContiguous), (10, NodeSet::from_positions([0, 1])));
    let scattered = (5, NodeSet::from_positions([1, 3]));
    assert_eq!(on(Policy::ConservativeBestEffortContiguous), scattered);
    assert_eq!(on(Policy::Conservative), scattered);
}

/// Two switches of two machines each. Jobs 1 to 3 take 0, 1 and 2; job 2 ends at 5 s. The last job takes two: at
/// 5 s machines 1 and 3 are free, on different switches; at 10 s job 1 ends, and 0 and 1 are free on the first.
/// In the second trace jobs 1 to 4 take 0 to 3, and at 5 s machines 1 and 2 are free: neighbours, and not on
/// one switch.
#[test]
fn local_waits_for_machines_of_one_switch_and_best_effort_does_not() {
    let options = [("group_size".to_owned(), "2".to_owned())];
    let last = |rows: &[Row], policy, options: &[(String, String)]| {
        let notes = play_on(&platform(4), rows, Way(policy, SET, Tie::Batch), options);
        let happened = notes.played.values().last().unwrap();
        (happened.started, happened.machines.clone())
    };
    let set = |positions: [u32; 2]| NodeSet::from_positions(positions);
    let rows = [(0, 1, 10, 10), (0, 1, 5, 5), (0, 1, 20, 20), (1, 2, 9, 9)];
    assert_eq!(last(&rows, Policy::ConservativeLocal, &options), (10, set([0, 1])));
    assert_eq!(last(&rows, Policy::ConservativeBestEffortLocal, &options), (5, set([1, 3])));
    let rows = [(0, 1, 10, 10), (0, 1, 5, 5), (0, 1, 5, 5), (0, 1, 20, 20), (1, 2, 9, 9)];
    assert_eq!(last(&rows, Policy::ConservativeContiguous, &[]), (5, set([1, 2])));
    assert_eq!(last(&rows, Policy::ConservativeLocal, &options), (10, set([0, 1])));
    assert_eq!(last(&rows, Policy::ConservativeBestEffortLocal, &options), (5, set([1, 2])));
}

/// The same platform, where the best effort is a switch although lower machines are free: job 1 takes 0 until
/// 9 s, and at 1 s job 2 gets 2 and 3, not 1 and 2. Job 3 is wider than a switch: refused,
/// or on the lowest that are free once job 2 has ended at 6 s, 1 to 3.
#[test]
fn wide_jobs_are_refused_where_a_switch_is_demanded() {
    let rows = [(0, 1, 9, 9), (1, 2, 5, 5), (2, 3, 1, 1)];
    let options = [("group_size".to_owned(), "2".to_owned())];
    let on = |policy| play_on(&platform(4), &rows, Way(policy, SET, Tie::Batch), &options);
    let strict = on(Policy::ConservativeLocal);
    assert_eq!(strict.refused, [JobId::Number(3)]);
    assert_eq!(strict.played[&2].machines, NodeSet::from_positions([2, 3]));
    let best = on(Policy::ConservativeBestEffortLocal);
    assert_eq!(best.refused, []);
    assert_eq!(
        (best.played[&2].started, best.played[&2].machines.clone()),
        (1, NodeSet::from_positions([2, 3]))
    );
    assert_eq!(
        (best.played[&3].started, best.played[&3].machines.clone()),
        (6, NodeSet::from_positions([1, 2, 3]))
    );
}

/// Job 2 is planned for 10 s. Job 1 ends at 4 s: job 2 moves to then, or stays.
#[test]
fn without_compression_plans_stay() {
    let rows = [(0, 2, 4, 10), (1, 2, 3, 3), (5, 1, 3, 3)];
    assert_eq!(starts(2, &rows, CONSERVATIVE), [0, 4, 7]);
    for allocation in [COUNT, SET] {
        let way = Way(Policy::ConservativeNoCompression, allocation, Tie::Batch);
        assert_eq!(starts(2, &rows, way), [0, 10, 5]);
        let options = [("compression".to_owned(), "false".to_owned())];
        let way = Way(Policy::Conservative, allocation, Tie::Batch);
        let played = play_on(&platform(2), &rows, way, &options).played;
        let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
        assert_eq!(starts, [0, 10, 5]);
    }
}

/// Shortest and longest walltime first, once job 1 has ended at 10 s; two machines.
#[test]
fn shortest_and_longest_first_go_by_walltime() {
    let rows = [(0, 2, 10, 10), (1, 2, 5, 8), (2, 2, 6, 6), (3, 2, 1, 9)];
    let sjf = starts(2, &rows, Way(Policy::Sjf, COUNT, Tie::Batch));
    assert_eq!(sjf, [0, 16, 10, 21]);
    let ljf = starts(2, &rows, Way(Policy::Ljf, COUNT, Tie::Batch));
    assert_eq!(ljf, [0, 11, 16, 10]);
}

/// Three machines in turn. Job 1 gets 0 and 1, job 2 gets 2 and 0: it waits for job 1. Job 3 gets 1 and 2: it
/// waits for job 2 on 2, although machine 1 is free from 5 s. Job 4 gets 0, after job 2.
#[test]
fn round_robin_deals_machines_in_turn() {
    let rows = [(0, 2, 5, 5), (0, 2, 4, 4), (1, 2, 3, 3), (2, 1, 1, 1)];
    let notes = play(3, &rows, Way(Policy::RoundRobin, COUNT, Tie::Batch));
    let of = |number| {
        let happened: &Happened = &notes.played[&number];
        (happened.started, happened.machines.positions().collect::<Vec<u32>>())
    };
    assert_eq!(of(1), (0, vec![0, 1]));
    assert_eq!(of(2), (5, vec![0, 2]));
    assert_eq!(of(3), (9, vec![1, 2]));
    assert_eq!(of(4), (9, vec![0]));
}

/// A job that needs more than its walltime is killed; its machines are the next one's at that instant,
/// and a job that ends frees the lowest first.
#[test]
fn walltimes_kill_and_the_lowest_free_machines_are_taken() {
    let rows = [(0, 2, 100, 7), (0, 1, 20, 20), (1, 1, 5, 5)];
    let notes = play(3, &rows, FCFS);
    assert_eq!(notes.played[&1].finished, 7);
    assert_eq!((notes.played[&3].started, notes.played[&3].finished), (7, 12));
    assert_eq!(notes.played[&3].machines, NodeSet::from_positions([0]));
    assert_eq!(notes.played[&2].machines, NodeSet::from_positions([2]));
}

/// Jobs of no machine or of too many are refused and delay nobody; a job without run time ends when it
/// starts.
#[test]
fn what_cannot_run_is_refused() {
    for way in ways() {
        let notes = play(2, &[(0, 3, 5, 5), (0, 0, 5, 5), (0, 1, 0, 4), (0, 1, 4, 4)], way);
        assert_eq!(notes.refused, [JobId::Number(1), JobId::Number(2)]);
        let ends: Vec<i64> = notes.played.values().map(|happened| happened.finished).collect();
        assert_eq!(ends, [0, 4], "{way:?}");
    }
}

/// One machine. Job 1's walltime and run time are over at 10 s, when jobs 2 and 3 are submitted. pyss
/// decides on job 2 alone and starts it; in one batch it is the same, since job 2 came first. But where
/// job 2 takes both of two machines and job 4 (until 11 s) holds one, job 3 fits beside under either.
#[test]
fn pyss_counts_a_job_whose_walltime_is_over_as_ended() {
    let rows = [(0, 1, 10, 10), (10, 1, 3, 3), (10, 1, 1, 1)];
    let pyss = Way(Policy::Easy, COUNT, Tie::Pyss);
    assert_eq!(starts(1, &rows, pyss), [0, 10, 13]);
    assert_eq!(starts(1, &rows, EASY), [0, 10, 13]);
}
