//! As soon as possible: the first feasible start. On the first free nodes by index it is the
//! paper's baseline (section VI-A), on the least-drawing ones the baseline's start with the
//! planner's choice of nodes.

use planner::decision::{Decision, Offer};

pub(super) const FIRST: &str = "asap_first";
pub(super) const LEAST: &str = "asap_least";

pub(super) const fn choose(decision: &Decision) -> Option<&Offer> {
    decision.as_soon_as_possible.as_ref()
}
