//! Everything that was decided and done about the power of nodes: who, why, what came of it. Rows are added and never changed.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::power_action::PowerActionState;
use planner::time::Timestamp;

use crate::identity::PowerActionId;
use crate::words::worded;

worded! {
    /// What was decided or done.
    LogWhat {
        /// A power action was proposed, for somebody to approve.
        Proposed = "proposed",
        /// Somebody approved it.
        Approved = "approved",
        /// Somebody, or what switches the node, said no for good.
        Refused = "refused",
        /// The order was given, and accepted.
        Ordered = "ordered",
        /// The order had no effect in time, or no answer.
        Failed = "failed",
        /// The node was seen to be as it ought to be.
        Done = "done",
        /// No order follows.
        GivenUp = "given_up",
        /// A power action was asked for that nobody has to approve.
        Asked = "asked",
        /// The node is not switched off until an instant.
        Held = "held",
        /// The node may be switched off again.
        Released = "released",
        /// A power action stays in its state, and is another one otherwise.
        Changed = "changed",
    }
}

impl LogWhat {
    /// What happened to a power action that came to a state from another one: a proposal that waits now was approved.
    pub const fn of(state: PowerActionState) -> Self {
        match state {
            PowerActionState::Proposed => Self::Proposed,
            PowerActionState::Waiting => Self::Approved,
            PowerActionState::Ordered => Self::Ordered,
            PowerActionState::Failed => Self::Failed,
            PowerActionState::Done => Self::Done,
            PowerActionState::Refused => Self::Refused,
            PowerActionState::GivenUp => Self::GivenUp,
        }
    }
}

/// What was decided or done, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerLogEntry {
    /// Later ones are greater.
    pub id: i64,
    /// The instant.
    pub at: Timestamp,
    /// The node, by name.
    pub node: String,
    /// The power action; it may have been forgotten since.
    pub action_id: Option<PowerActionId>,
    /// What was decided or done.
    pub what: LogWhat,
    /// Who did; `None` for the service.
    pub by: Option<String>,
    /// Why, in words; `None` where there is nothing to say.
    pub because: Option<String>,
}

/// Which entries of the log are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerLogFilter {
    /// Of this node alone.
    pub node: Option<String>,
    /// From this instant on.
    pub from: Option<Timestamp>,
    /// Before this instant.
    pub to: Option<Timestamp>,
    /// Older than this entry.
    pub before: Option<i64>,
    /// So many at the most.
    pub limit: u32,
}

/// An entry of the log to be written in the transaction of what it tells.
pub(crate) struct NewLogEntry {
    /// The node, by name.
    pub(crate) node: String,
    /// The power action, where it is about one.
    pub(crate) action_id: Option<PowerActionId>,
    /// What was decided or done.
    pub(crate) what: LogWhat,
    /// Who did; `None` for the service.
    pub(crate) by: Option<String>,
    /// Why, in words.
    pub(crate) because: Option<String>,
}
