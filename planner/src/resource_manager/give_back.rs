//! Reservations whose jobs have all ended.

use super::{JobPhase, ManagedJob};
use crate::time::Timestamp;

/// Since when nothing runs or waits any more in a reservation whose jobs these are: the latest end of
/// them. `None` where one of them has yet to end, where one has ended nobody knows when, and where there
/// never was one, since who has yet to submit a job still needs the nodes.
pub fn idle_since(jobs: &[ManagedJob]) -> Option<Timestamp> {
    let ended = |job: &ManagedJob| job.end.filter(|_| job.phase == JobPhase::Ended);
    let ends: Option<Vec<Timestamp>> = jobs.iter().map(ended).collect();
    ends?.into_iter().max()
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
    }
}
