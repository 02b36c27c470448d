//! As soon as possible on the first free nodes by index: the paper's baseline (section VI-A).

use planner::decision::{Decision, Offer};
use planner::order::Preference;

pub(super) const NAME: &str = "asap_first";

pub(super) const PREFERENCE: Preference = Preference::FirstListed;

pub(super) const fn choose(decision: &Decision) -> Option<&Offer> {
    decision.as_soon_as_possible.as_ref()
}
