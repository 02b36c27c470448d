//! As soon as possible on the least-drawing free nodes: the baseline's start with the planner's
//! choice of nodes.

use planner::decision::{Decision, Offer};
use planner::order::Preference;

pub(super) const NAME: &str = "asap_least";

pub(super) const PREFERENCE: Preference = Preference::LeastDraw;

pub(super) const fn choose(decision: &Decision) -> Option<&Offer> {
    decision.as_soon_as_possible.as_ref()
}
