//! What a driver can do, and what the site lets it do.

use planner::power_action::PowerOrder;

use crate::error::PowerError;

/// What a driver can do beside reading power and switching gracefully.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Whether it may take a node's power away: the site says so.
    pub forced_off: bool,
    /// Whether it has power limits. A controller may have none all the same, and says so when it is asked.
    pub limits: bool,
}

/// The refusal of a forced order where the site forbids it.
pub(crate) fn allowed(order: PowerOrder, forced_off: bool) -> Result<(), PowerError> {
    if order == PowerOrder::ForcedOff && !forced_off {
        let because = "the site does not allow to take a node's power away";
        return Err(PowerError::Refused(because.to_owned()));
    }
    Ok(())
}
