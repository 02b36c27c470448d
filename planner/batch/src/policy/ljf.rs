//! Longest job first: the waiting job of the greatest walltime holds up the others.

use super::in_order::InOrder;

pub(super) fn scheduler(machines: u32) -> InOrder {
    InOrder::new(machines, |job| -job.walltime.as_micros())
}
