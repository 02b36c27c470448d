//! Random workloads: against the plain rules, and what must hold of every schedule.

use proptest::prelude::*;

use super::naive::{self, Rule};
use super::*;

const MACHINES: u32 = 6;

/// Many jobs of the same instants, sizes and walltimes, since ties are what goes wrong.
fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_i64..40, 1..=MACHINES, 1_i64..12, 0_i64..8)
        .prop_map(|(submitted, nodes, run, more)| (submitted, nodes, run, (run + more - 1).max(1)));
    prop::collection::vec(row, 1..40)
}

fn check_against(rows: &[Row], policy: Policy, rule: &mut impl Rule) -> Result<(), TestCaseError> {
    let expected = naive::starts(MACHINES, rows, rule);
    prop_assert_eq!(starts(MACHINES, rows, Way(policy, COUNT, Tie::Batch)), expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn strict_orders_start_as_the_plain_rules(rows in workload()) {
        check_against(&rows, Policy::Fcfs, &mut naive::InOrder(|_| 0))?;
        check_against(&rows, Policy::Sjf, &mut naive::InOrder(|row| row.3))?;
        check_against(&rows, Policy::Ljf, &mut naive::InOrder(|row| -row.3))?;
    }

    #[test]
    fn backfilling_starts_as_the_plain_rules(rows in workload()) {
        check_against(&rows, Policy::Easy, &mut naive::Easy(|_| 0))?;
        let mut rule = naive::Conservative::new(MACHINES, rows.len());
        check_against(&rows, Policy::Conservative, &mut rule)?;
        let way = Way(Policy::ConservativeNoCompression, COUNT, Tie::Batch);
        let mut fixed = naive::Conservative::new(MACHINES, rows.len()).without_compression();
        prop_assert_eq!(starts(MACHINES, &rows, way), naive::starts(MACHINES, &rows, &mut fixed));
        // No job starts after its first plan.
        let starts = starts(MACHINES, &rows, Way(Policy::Conservative, COUNT, Tie::Batch));
        prop_assert!(starts.iter().zip(&rule.guarantees).all(|(start, first)| start <= first));
    }

    #[test]
    fn no_machine_runs_two_jobs_and_no_job_leaves_its_bounds(rows in workload()) {
        for way in ways() {
            let notes = play(MACHINES, &rows, way);
            prop_assert_eq!(notes.played.len(), rows.len());
            for (number, happened) in &notes.played {
                let (submitted, nodes, run, walltime) = rows[usize::try_from(number - 1).unwrap()];
                prop_assert!(happened.started >= submitted, "{:?}", way);
                prop_assert_eq!(happened.finished - happened.started, run.min(walltime));
                prop_assert_eq!(happened.machines.count(), nodes);
            }
            for (number, one) in &notes.played {
                for (_, other) in notes.played.range(number + 1..) {
                    let together = one.started < other.finished && other.started < one.finished;
                    prop_assert!(!(together && one.machines.intersects(&other.machines)), "{:?}", way);
                }
            }
        }
    }

    /// The promise made to a job when it became the first: it starts by then, by either allocation and
    /// in either order of ties.
    #[test]
    fn easy_never_delays_the_first_job_beyond_its_promise(rows in workload()) {
        for way in ways().into_iter().filter(|way| way.0 == Policy::Easy) {
            let starts = starts(MACHINES, &rows, way);
            check_promises(&rows, &starts)?;
        }
    }

    #[test]
    fn contiguous_jobs_have_neighbours(rows in workload()) {
        let way = Way(Policy::ConservativeContiguous, SET, Tie::Batch);
        for happened in play(MACHINES, &rows, way).played.values() {
            prop_assert_eq!(happened.machines.ranges().len(), 1);
        }
    }

    #[test]
    fn easy_by_sets_starts_as_many_jobs_at_once_as_it_may(rows in workload()) {
        let starts = starts(MACHINES, &rows, Way(Policy::Easy, SET, Tie::Batch));
        // The first waiting job never waits while it fits.
        for now in instants(&rows, &starts) {
            if let Some(first) = first_waiting(&rows, &starts, now) {
                prop_assert!(rows[first].1 > free_at(&rows, &starts, now, now));
            }
        }
    }
}

/// When something happens.
fn instants(rows: &[Row], starts: &[i64]) -> Vec<i64> {
    let ends = rows.iter().zip(starts).map(|(row, start)| start + row.2.min(row.3));
    let mut instants: Vec<i64> = ends.chain(rows.iter().map(|row| row.0)).collect();
    instants.sort_unstable();
    instants.dedup();
    instants
}

/// The job that was submitted first of those that wait after the decisions of `now`.
fn first_waiting(rows: &[Row], starts: &[i64], now: i64) -> Option<usize> {
    let waits = |index: &usize| rows[*index].0 <= now && starts[*index] > now;
    (0..rows.len()).filter(waits).min_by_key(|&index| (rows[index].0, index))
}

/// Machines free at `at` of those that run at `now` last as long as they may.
fn free_at(rows: &[Row], starts: &[i64], now: i64, at: i64) -> u32 {
    let used = rows.iter().zip(starts).filter(|(row, start)| {
        let runs = **start <= now && now < **start + row.2.min(row.3);
        runs && at < **start + row.3
    });
    MACHINES - used.map(|(row, _)| row.1).sum::<u32>()
}

fn check_promises(rows: &[Row], starts: &[i64]) -> Result<(), TestCaseError> {
    let mut promised: Vec<Option<i64>> = vec![None; rows.len()];
    for now in instants(rows, starts) {
        if let Some(first) = first_waiting(rows, starts, now)
            && promised[first].is_none()
        {
            let shadow = (now..1_000).find(|&at| free_at(rows, starts, now, at) >= rows[first].1);
            promised[first] = shadow;
        }
    }
    for (start, promise) in starts.iter().zip(promised) {
        prop_assert!(promise.is_none_or(|promise| *start <= promise));
    }
    Ok(())
}
