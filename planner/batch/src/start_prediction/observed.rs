//! Jobs as they were seen in a queue.

use super::Shape;
use crate::time::Time;

/// A job of which as much is known as has happened. Instants are of any one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedJob {
    /// Who submitted it.
    pub user: Box<str>,
    /// What it asked for.
    pub shape: Shape,
    /// When it was submitted.
    pub submitted: Time,
    /// When it started; not yet where it waits.
    pub started: Option<Time>,
    /// When it ended; not yet where it waits or runs.
    pub ended: Option<Time>,
}

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    Submitted,
    Started,
    Ended,
}

/// All that happened until `now`, in order: with its instant, and the place of its job. At one instant jobs end before others are
/// submitted, and are submitted before any starts, so that a job which is submitted sees all that is free.
pub(super) fn in_order(jobs: &[ObservedJob], now: Time) -> Vec<(Time, Happened, usize)> {
    let mut all = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
        let ends_at_start = job.ended <= job.started;
        all.push((job.submitted, 1, place, Happened::Submitted));
        all.extend(job.started.map(|at| (at, 2, place, Happened::Started)));
        let rank = if ends_at_start { 3 } else { 0 };
        let ended = job.ended.filter(|_| job.started.is_some());
        all.extend(ended.map(|at| (at.max(job.submitted), rank, place, Happened::Ended)));
    }
    all.retain(|(at, ..)| *at <= now);
    all.sort_unstable_by_key(|(at, rank, place, _)| (*at, *rank, *place));
    all.into_iter().map(|(at, _, place, happened)| (at, happened, place)).collect()
}

#[cfg(test)]
mod tests {
    use super::Happened::{Ended, Started, Submitted};
    use super::*;

    /// The first ends at 10 s, when the second is submitted, starts and ends. The third is submitted after now.
    #[test]
    fn what_happened_is_put_in_order() {
        let job = |submitted: i64, started: i64, ended: i64| ObservedJob {
            user: "ada".into(),
            shape: Shape { nodes: 1, walltime: Time::from_seconds(60) },
            submitted: Time::from_seconds(submitted),
            started: Some(Time::from_seconds(started)),
            ended: Some(Time::from_seconds(ended)),
        };
        let jobs = [job(0, 5, 10), job(10, 10, 10), job(30, 30, 40)];
        let happened = in_order(&jobs, Time::from_seconds(20));
        let told: Vec<_> =
            happened.iter().map(|(_, happened, place)| (*happened, *place)).collect();
        let expected =
            [(Submitted, 0), (Started, 0), (Ended, 0), (Submitted, 1), (Started, 1), (Ended, 1)];
        assert_eq!(told, expected);
    }
}
