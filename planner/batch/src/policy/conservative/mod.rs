//! Conservative backfilling: every waiting job has a guaranteed start.

mod atoms;
mod bounds;
mod cap;
mod count;
mod profile;
mod set;
mod set_profile;

use super::order::OrderPart;
use crate::time::Time;
pub(super) use count::Conservative;
pub(super) use set::ConservativeSet;

/// What guaranteed starts go by.
#[derive(Debug)]
pub struct Guarantees<'a> {
    /// The order in which jobs get their starts.
    pub order: &'a OrderPart,
    /// Whether waiting jobs move to earlier places when jobs end early.
    pub compression: bool,
    /// From when to when no more than so many machines may compute.
    pub limits: &'a [(Time, Time, u32)],
    /// Whether for a place that begins at once machines that were free already go before others.
    pub rested_first: bool,
}
