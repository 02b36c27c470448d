//! First come, first served.

use super::OrderPart;
use crate::policy::part::About;

/// The job that was submitted first is the first.
pub const ORDER: OrderPart = OrderPart {
    about: About { name: "fcfs", meaning: "in the order of submission", options: &[] },
    rank: |_| 0,
};
