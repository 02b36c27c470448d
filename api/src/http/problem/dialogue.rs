//! Why something is not taken from the supplier, as problems.

use super::Problem;
use crate::service::dialogue::DialogueError;

impl From<DialogueError> for Problem {
    fn from(error: DialogueError) -> Self {
        match error {
            DialogueError::Invalid(detail) => Self::contradicting(detail),
            DialogueError::NoNegotiation(id) => Self::not_found(format!("negotiation {id}")),
            DialogueError::NoGrant(id) => Self::not_found(format!("grant {id}")),
            DialogueError::NotAsked(_) => Self::conflict("not_asked", "Nothing is asked", &error),
            DialogueError::Fault(fault) => fault.into(),
        }
    }
}
