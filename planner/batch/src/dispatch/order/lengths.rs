//! The simple orders (5.2.1): by submission, or by estimated duration. They stop at the first job that does not fit.

use super::{QueueOrder, UnitOrderPart, Waiting};
use crate::dispatch::unit::UnitRequests;
use crate::policy::About;
use crate::time::Time;

/// First come, first served.
pub(super) const FCFS: UnitOrderPart = UnitOrderPart {
    about: About { name: "fcfs", meaning: "in the order of submission", options: &[] },
    build: |_, _| Box::new(ByLength(0)),
};

/// Shortest job first.
pub(super) const SJF: UnitOrderPart = UnitOrderPart {
    about: About { name: "sjf", meaning: "the shortest estimate first", options: &[] },
    build: |_, _| Box::new(ByLength(1)),
};

/// Longest job first.
pub(super) const LJF: UnitOrderPart = UnitOrderPart {
    about: About { name: "ljf", meaning: "the longest estimate first", options: &[] },
    build: |_, _| Box::new(ByLength(-1)),
};

/// By estimates times this factor.
#[derive(Debug)]
struct ByLength(i64);

impl QueueOrder for ByLength {
    fn rank(&self, job: &Waiting, _: &UnitRequests, _: Time) -> (i64, i64) {
        (job.estimate.told.as_micros().saturating_mul(self.0), 0)
    }
}
