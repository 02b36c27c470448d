//! What is done to switch nodes, and how far it is.

mod repository;
pub(crate) mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::power_action::{PowerActionState, PowerChange};
use planner::power_plan::CriteriaAmounts;
use planner::quantity::Power;
use planner::time::Timestamp;

use crate::identity::PowerActionId;
use crate::power_log::LogWhat;

/// Who asks for power actions beside persons. The log has no name for them: they are the service.
const SERVICE: [&str; 3] = ["reservation", "plan", "keep_warm"];

/// A node that is to be switched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPowerAction {
    /// The node, by name.
    pub node: String,
    /// What is to become of its power.
    pub change: PowerChange,
    /// Who asks for it: `reservation`, `plan`, `keep_warm`, or a person by name.
    pub asked_by: String,
    /// The reservation that it is woken or limited for.
    pub reservation_id: Option<ReservationId>,
    /// Proposed, or waiting where nobody has to approve it.
    pub state: PowerActionState,
    /// When it is to be ordered first.
    pub due: Timestamp,
    /// From then on it is of no use; `None` where nothing says so.
    pub until: Option<Timestamp>,
    /// When a node that is switched off is to be woken again.
    pub wake_at: Option<Timestamp>,
    /// What it saves; `None` where that is not known.
    pub saves: Option<CriteriaAmounts>,
    /// Why it stands so, in words; `None` where there is nothing to say.
    pub because: Option<String>,
}

impl NewPowerAction {
    /// An action that nobody has to approve and that is due now.
    pub fn due_now(node: &str, change: PowerChange, asked_by: &str, now: Timestamp) -> Self {
        Self {
            node: node.to_owned(),
            change,
            asked_by: asked_by.to_owned(),
            reservation_id: None,
            state: PowerActionState::Waiting,
            due: now,
            until: None,
            wake_at: None,
            saves: None,
            because: None,
        }
    }
}

/// What is done to switch a node, as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerAction {
    /// Later ones are greater.
    pub id: PowerActionId,
    /// The node, by name.
    pub node: String,
    /// What is to become of its power.
    pub change: PowerChange,
    /// Who asks for it: `reservation`, `plan`, `keep_warm`, or a person by name.
    pub asked_by: String,
    /// The reservation that it is woken or limited for.
    pub reservation_id: Option<ReservationId>,
    /// How far it is.
    pub state: PowerActionState,
    /// When it is to be ordered first.
    pub due: Timestamp,
    /// From then on it is of no use; `None` where nothing says so.
    pub until: Option<Timestamp>,
    /// When a node that is switched off is to be woken again.
    pub wake_at: Option<Timestamp>,
    /// What it saves; `None` where nothing of it is known.
    pub saves: Option<CriteriaAmounts>,
    /// Why it stands so, in words; `None` where there is nothing to say.
    pub because: Option<String>,
    /// When it was planned.
    pub created: Timestamp,
    /// When it came to its state.
    pub since: Timestamp,
    /// So many orders were given.
    pub orders: u32,
    /// When the last order was given.
    pub ordered: Option<Timestamp>,
    /// When the node was seen to be as it ought to be.
    pub done: Option<Timestamp>,
    /// Who approved or refused it, by name.
    pub decided_by: Option<String>,
    /// When it was approved or refused.
    pub decided: Option<Timestamp>,
    /// Of a limit for a reservation: the power limit that the node had before; `None` where it had none.
    pub former_limit: Option<Power>,
    /// How often it was written.
    pub row_version: i64,
}

/// A power action as it is to be from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerActionChange {
    /// The action with what is new of it, and with the version that was read.
    pub action: PowerAction,
    /// What happened to it.
    pub what: LogWhat,
    /// Who did it; `None` for the service.
    pub by: Option<String>,
}

/// Which power actions are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerActionFilter {
    /// Of this node alone.
    pub node: Option<String>,
    /// Only those that are not final, or only those that are.
    pub open: Option<bool>,
    /// Older than this one.
    pub before: Option<PowerActionId>,
    /// So many at the most.
    pub limit: u32,
}
