//! What is done to nodes so that they are on when a reservation begins.

mod repository;
pub(crate) mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::time::Timestamp;

use crate::identity::PowerActionId;
use crate::words::worded;

worded! {
    /// What is done to a node.
    PowerActionKind {
        /// It is switched on.
        PowerUp = "power_up",
    }
}

worded! {
    /// How far a power action is.
    PowerActionState {
        /// It has yet to be ordered.
        Waiting = "waiting",
        /// The resource manager was told.
        Ordered = "ordered",
        /// The node is as it ought to be.
        Done = "done",
        /// The resource manager refused, or the node did not come in time.
        Failed = "failed",
    }
}

/// What is to be done to a node for a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPowerAction {
    /// The node, by name.
    pub node: String,
    /// What is to be done to it.
    pub kind: PowerActionKind,
    /// For which reservation.
    pub reservation_id: ReservationId,
}

/// What is done to a node for a reservation, as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerAction {
    /// Later ones are greater.
    pub id: PowerActionId,
    /// The node, by name.
    pub node: String,
    /// What is done to it.
    pub kind: PowerActionKind,
    /// For which reservation.
    pub reservation_id: ReservationId,
    /// How far it is.
    pub state: PowerActionState,
    /// Why it stands so, in words; `None` where there is nothing to say.
    pub because: Option<String>,
    /// When it was planned.
    pub created: Timestamp,
    /// When the resource manager was told.
    pub ordered: Option<Timestamp>,
    /// When the node was seen to be as it ought to be.
    pub done: Option<Timestamp>,
}
