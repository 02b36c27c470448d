//! Calibration that follows what meters measure.
//!
//! Quarter-hours of nodes are sorted by what they were used for, and the newest of each use are remembered
//! ([`Gathering`]). From them follow ([`judge`])
//!
//! - its **idle power**: the median of the quarter-hours in which nobody had it;
//! - its **maximum power**: what few of the quarter-hours exceed in which it was held ([`upper`]). A node that nobody
//!   makes work as hard as it can says nothing of its maximum, so that the maximum in force is only lowered by
//!   quarter-hours of requests that say so hard a utilisation themselves;
//! - whether it has **drifted** from the calibration in force, and what calibration is proposed ([`propose`]);
//! - whether its measurements make sense at all ([`NodeFault`]), and whether it stands out among nodes of its kind.
//!
//! From what runs of an application drew follows the utilisation to be expected of the next ([`learn_utilisation`]),
//! and from what was predicted and measured the model's error ([`ErrorSums`]).

mod error_sums;
mod estimate;
mod evidence;
mod finding;
mod gathering;
mod outlying;
mod proposal;
mod runs;
#[cfg(test)]
mod tests;
mod uses;

pub use error_sums::{ErrorSums, ModelError};
pub use estimate::{Estimate, idle, upper};
pub use evidence::{Evidence, MOST_QUARTERS, QuarterKind};
pub use finding::{FollowRules, NodeFault, NodeFinding, judge};
pub use gathering::{ExpectedDraw, Gathering};
pub use outlying::mark_outlying;
pub use proposal::{ProposalState, ProposedPowers, propose};
pub use runs::{LearntUtilisation, MOST_RUNS, RunSums, learn_utilisation};
pub use uses::{NodeUse, UsedFor};
