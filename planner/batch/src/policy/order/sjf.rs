//! Shortest job first.

use super::OrderPart;
use crate::policy::part::About;

/// The job with the least walltime is the first.
pub const ORDER: OrderPart = OrderPart {
    about: About { name: "sjf", meaning: "the shortest walltime first", options: &[] },
    rank: |job| job.walltime.as_micros(),
};
