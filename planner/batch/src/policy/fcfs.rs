//! First come, first served: no job starts before one that was submitted earlier.

use super::in_order::InOrder;

pub(super) fn scheduler(machines: u32) -> InOrder {
    InOrder::new(machines, |_| 0)
}
