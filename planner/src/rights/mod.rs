//! Rights: what callers may do by default, and the site's rules that narrow or widen it.

mod action;
mod rule;

pub use action::{Action, ActionScope, Latitude, Regard};
pub use rule::{Asker, Circumstances, Effect, RightsObject, RightsRule, RightsRules, Verdict};
