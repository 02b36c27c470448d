//! Longest job first.

use super::OrderPart;
use crate::policy::part::About;

/// The job with the greatest walltime is the first.
pub const ORDER: OrderPart = OrderPart {
    about: About { name: "ljf", meaning: "the longest walltime first", options: &[] },
    rank: |job| -job.walltime.as_micros(),
};
