//! What past jobs tell of one that comes: how long it lasts, or what a unit of it draws.

use std::fmt::Debug;

use super::{Estimator, requested};
use crate::dispatch::jobs::UnitJob;
use crate::time::Time;

/// Remembers an amount of each job that ended: microseconds that it ran, or microwatts that a unit of it drew.
pub(in crate::dispatch) trait Memory: Debug {
    /// What past jobs tell of this one; none where none is like it.
    fn recall(&self, job: &UnitJob) -> Option<i64>;

    /// A job ended.
    fn learn(&mut self, job: &UnitJob, amount: i64);
}

/// Durations from past jobs; the requested time where none is like it, and at most that.
#[derive(Debug)]
pub(super) struct Remembered<M>(pub M);

impl<M: Memory> Estimator for Remembered<M> {
    fn estimate(&mut self, job: &UnitJob) -> Time {
        let found = self.0.recall(job).map(Time::from_micros);
        found.map_or(requested(job), |time| time.min(requested(job)))
    }

    fn ended(&mut self, job: &UnitJob, ran: Time) {
        self.0.learn(job, ran.as_micros());
    }
}
