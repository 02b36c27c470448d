//! The jobs in a managed reservation that is to be changed or removed.

use crate::resource_manager::{JobPhase, ManagedJob, ManagedReservation};
use crate::time::Timestamp;

pub(super) fn of_phase<'a>(jobs: &[&'a ManagedJob], phase: JobPhase) -> Vec<&'a ManagedJob> {
    jobs.iter().copied().filter(|job| job.phase == phase).collect()
}

/// When a running job ends at the latest.
pub(super) fn ends(job: &ManagedJob, seen: &ManagedReservation) -> Timestamp {
    let limit = || Some(job.start? + job.limit?);
    job.end.or_else(limit).unwrap_or(seen.span.end())
}

pub(super) fn ids(jobs: &[&ManagedJob]) -> Vec<String> {
    jobs.iter().map(|job| job.id.clone()).collect()
}

pub(super) fn until_end(running: &[&ManagedJob]) -> String {
    match running {
        [job] => format!("job {} still runs in it", job.id),
        jobs => format!("the jobs {} still run in it", ids(jobs).join(", ")),
    }
}
