//! The cap on how many machines compute, as if no job had them: it tells jobs that it never lets start from
//! those that only wait for others.

use super::profile::Profile;
use crate::scheduler::{Decisions, JobRequest, RefusalReason};
use crate::time::Time;

/// A cap, where there is one.
#[derive(Debug)]
pub struct Cap {
    /// How many machines may compute.
    most: Option<Profile>,
}

impl Cap {
    /// No more than so many of the machines may compute from an instant to another.
    pub fn new(machines: u32, limits: &[(Time, Time, u32)]) -> Self {
        Self { most: (!limits.is_empty()).then(|| Profile::limited(machines, limits)) }
    }

    /// Whether there is one.
    pub const fn bounds(&self) -> bool {
        self.most.is_some()
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        if let Some(most) = &mut self.most {
            most.advance(now);
        }
    }

    /// Refuses a job that may never start from `now` on, even if nothing else ran; whether it is refused.
    pub fn refuses(&self, now: Time, job: &JobRequest, decisions: &mut Decisions) -> bool {
        let never = self.most.as_ref().is_some_and(|most| {
            most.earliest(now, job.nodes, job.walltime, Time::FOREVER).is_none()
        });
        if never {
            decisions.refuse(job.key, Some(RefusalReason::NeverUnderTheCap));
        }
        never
    }

    /// When to decide again although nothing happens, where the first of those that wait has its place at
    /// `first`: then, or when the cap changes, which may leave one that has no place in all time none at all.
    pub fn wake_at(&self, first: Option<Time>) -> Option<Time> {
        let changes = || self.most.as_ref().and_then(Profile::next_change);
        let at = first.filter(|at| *at < Time::FOREVER).or_else(|| first.and_then(|_| changes()));
        at.filter(|at| *at < Time::FOREVER)
    }
}
