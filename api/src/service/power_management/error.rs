//! Why the power of nodes is not planned, switched or decided on.

use planner::power_action::PowerActionState;
use planner::resource_manager::ManagerError;
use storage::StorageError;

use crate::service::shared::{Fault, PlanningError};

/// Why the power of nodes is not planned, switched or decided on.
#[derive(Debug, thiserror::Error)]
pub enum PowerManagementError {
    /// Nothing switches nodes.
    #[error("the service switches no nodes; the section [power] of its settings says what does")]
    NotConfigured,
    /// The rules do not go with the nodes there are.
    #[error("the rules in [power] do not go with the nodes: {0}")]
    Rules(String),
    /// Who asks decides on the power of other nodes.
    #[error(
        "you do not decide on the power of these nodes: {}; operators do, and who is named in decided_by of a right in [power]",
        .0.join(", ")
    )]
    NotYours(Vec<String>),
    /// There is no such action.
    #[error("there is no such power action")]
    NoAction,
    /// It is decided already.
    #[error("the power action is {} already", .0.word())]
    Decided(PowerActionState),
    /// The site's rules let it be shown, not approved.
    #[error(
        "the right in force for this node lets a sleep be proposed, and not be approved; wattbook power off switches the \
         node off all the same"
    )]
    OnlyProposed,
    /// Nothing says how these nodes are switched.
    #[error("nothing says how these nodes are switched: {}; [[power.switching]] does", .0.join(", "))]
    NotSwitchable(Vec<String>),
    /// These nodes are being switched the other way.
    #[error("nodes are being switched the other way: {}; wait until that is done", .0.join(", "))]
    Underway(Vec<String>),
    /// Somebody else changed it meanwhile.
    #[error("the power action changed while this was decided; look at it and try again")]
    Changed,
    /// The resource manager did not answer.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// No plan could be made.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for PowerManagementError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
