//! What reservations' jobs have used, and reservations whose jobs have all ended.

use super::{JobPhase, ManagedJob};
use crate::time::{Seconds, Timestamp};

/// Since when nothing runs or waits any more in a reservation whose jobs these are: the latest end of
/// them. `None` where one of them has yet to end, where one has ended nobody knows when, and where none
/// ever ran, since who has yet to run a job still needs the nodes.
pub fn idle_since(jobs: &[ManagedJob]) -> Option<Timestamp> {
    let ended = |job: &ManagedJob| job.end.filter(|_| job.phase == JobPhase::Ended);
    let ends: Option<Vec<Timestamp>> = jobs.iter().map(ended).collect();
    ends?.into_iter().max().filter(|_| jobs.iter().any(|job| job.start.is_some()))
}

/// What jobs have used by `now`, node-seconds: their nodes, each from its job's start to its end, or to
/// `now` while it runs. Jobs that share a node both count.
pub fn node_seconds_used(jobs: &[ManagedJob], now: Timestamp) -> u64 {
    let used = |job: &ManagedJob| {
        let start = job.start.filter(|_| job.phase != JobPhase::Waiting)?;
        let end = job.end.filter(|_| job.phase == JobPhase::Ended).unwrap_or(now).min(now);
        let nodes = u64::try_from(job.nodes.len()).ok()?;
        Some(nodes * (end - start).max(Seconds::default()).get().unsigned_abs())
    };
    jobs.iter().filter_map(used).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, job};

    fn ended(id: &str, end: i64) -> ManagedJob {
        ManagedJob { phase: JobPhase::Ended, end: Some(at(end)), ..job(id, &["n1"]) }
    }

    #[test]
    fn a_reservation_is_idle_since_its_last_job_ended() {
        assert_eq!(idle_since(&[ended("1", 150), ended("2", 180), ended("3", 120)]), Some(at(180)));
    }

    #[test]
    fn a_job_that_waits_or_runs_still_needs_it() {
        let runs = ManagedJob { end: Some(at(300)), ..job("2", &["n1"]) };
        assert_eq!(idle_since(&[ended("1", 150), runs]), None);
        let waits = ManagedJob { phase: JobPhase::Waiting, ..job("2", &[]) };
        assert_eq!(idle_since(&[ended("1", 150), waits]), None);
        let unknown = ManagedJob { phase: JobPhase::Ended, ..job("2", &["n1"]) };
        assert_eq!(idle_since(&[ended("1", 150), unknown]), None);
        assert_eq!(idle_since(&[]), None);
        let cancelled = ManagedJob { start: None, ..ended("1", 150) };
        assert_eq!(idle_since(&[cancelled]), None, "none ever ran");
    }

    /// At 200: a job on one node from 0 to 150; one that runs on two nodes since 120, until 500 at the
    /// most; one that waits. 1 x 150 + 2 x 80 = 310.
    #[test]
    fn nodes_are_used_while_jobs_have_them() {
        let runs =
            ManagedJob { start: Some(at(120)), end: Some(at(500)), ..job("2", &["n1", "n2"]) };
        let waits = ManagedJob { phase: JobPhase::Waiting, start: Some(at(400)), ..job("3", &[]) };
        assert_eq!(node_seconds_used(&[ended("1", 150), runs, waits], at(200)), 310);
    }
}
