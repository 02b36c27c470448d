//! The jobs that are still to be submitted.

use std::iter::Peekable;

use super::SimulationError;
use crate::job::Job;
use crate::time::Time;

/// The jobs of a workload in the order of their submission.
pub(super) struct Submissions<J: Iterator>(Peekable<J>);

impl<E, J: Iterator<Item = Result<Job, E>>> Submissions<J> {
    pub(super) fn new(jobs: J) -> Self {
        Self(jobs.peekable())
    }

    /// Whether all jobs were submitted.
    pub(super) fn are_over(&mut self) -> bool {
        self.0.peek().is_none()
    }

    /// When the next job is submitted.
    pub(super) fn next_instant(&mut self) -> Result<Option<Time>, SimulationError<E>> {
        if let Some(Err(error)) = self.0.next_if(Result::is_err) {
            return Err(SimulationError::Workload(error));
        }
        Ok(self.0.peek().and_then(|job| job.as_ref().ok()).map(|job| job.submitted))
    }

    /// The next job, if it is submitted by `now`.
    pub(super) fn due(&mut self, now: Time) -> Option<Job> {
        let is_due = |job: &Result<Job, E>| job.as_ref().is_ok_and(|job| job.submitted <= now);
        self.0.next_if(is_due)?.ok()
    }
}
