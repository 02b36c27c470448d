//! The ledger: for each hour whose energy it was, what it cost and what it emitted.
//!
//! The rules, in the order in which they apply:
//!
//! 1. An hour is cut into [intervals](Interval) of at most a quarter-hour, in each of which the cluster's
//!    nodes are the same. Energy is known by node and interval: what was measured, with the seconds that
//!    measurements cover, and for the other seconds an estimate.
//! 2. At each instant a node belongs to the jobs that run on it, in equal parts; without jobs to who
//!    reserved it; else to its switching or its being off; else it is [idle](Holder::Idle).
//! 3. A node's estimate is its calibrated power times the seconds: the draw of an offer while it is busy, its
//!    idle power while it is not, nothing while it is off.
//! 4. What was measured of a node in an interval is split among those who had it in proportion to their
//!    estimates (to their seconds, where all estimates are nothing); seconds without measurements in
//!    proportion to their seconds. Nothing is lost: parts are whole microjoules and whole seconds that sum to
//!    the whole, by the [largest remainder](apportion).
//! 5. Cost and CO2 of a part are its energy times the mean price and intensity over its own span; sums are exact.
//! 6. An hour's sums are rounded, half up, to whole joules, millionths of the currency and milligrams. What
//!    each party has of them is its exact amount rounded down, and one more for those with the largest
//!    remainders (the first by [`Party`]'s order among equals) until the rows sum to the total. In the same way what
//!    a row measured and what was estimated is told by quarter-hour.
//! 7. An hour is never changed. What is known later is [stated anew](corrections): rows with the differences.
//!    They count in their own hour, or, where its month is closed, in the first hour that is open. Jobs are
//!    [named as they were](StatedJobs).

pub mod apportion;
mod claim;
mod correction;
mod facility;
mod factors;
mod hour;
mod interval;
mod parts;
mod party;
mod row;
mod stated_jobs;
#[cfg(test)]
mod tests;

pub use claim::{Claim, ClaimedDraw};
pub use correction::{corrections, counted_in};
pub use facility::Overheads;
pub use factors::{EmbodiedCarbon, WaterFactors, carbon_intensity_score};
pub use hour::{COST_UNIT, Hour, MASS_UNIT};
pub use interval::{Interval, Metered, NodeEnergy, RackEnergy};
pub use party::{Holder, JobSubmission, Party};
pub use row::{Amounts, LedgerRow, QUARTERS, Tariff, known_sum, without_other_co2};
pub use stated_jobs::StatedJobs;
