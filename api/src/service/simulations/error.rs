//! Why a simulation is not started, shown or ended.

use planner::json::JsonError;
use storage::{SimulationId, StorageError};

use crate::service::shared::{Fault, KeyError};

/// Why a simulation is not started, shown or ended.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The experiment has errors, each with its place.
    #[error("the input is not valid")]
    Invalid(Vec<JsonError>),
    /// There is no such simulation, or it is not the caller's.
    #[error("there is no simulation {0}")]
    NoSimulation(SimulationId),
    /// What a key has started was removed.
    #[error(
        "the simulation {0}, which was started with this Idempotency-Key, was removed; with another key it \
         is started anew"
    )]
    Removed(SimulationId),
    /// Too many simulations wait.
    #[error("too many simulations are waiting; try again when one has ended")]
    QueueFull,
    /// One user has as many simulations waiting as one may have.
    #[error(
        "{0} of your simulations wait, which is as many as one user's may; start more when one of \
         them has begun, or cancel one"
    )]
    TooMany(u32),
    /// A result that is not there.
    #[error("the simulation is {state}, and this result is not there; GET it to see how far it is")]
    NotFinished {
        /// The state it is in.
        state: &'static str,
    },
    /// The simulation cannot be cancelled any more.
    #[error("the simulation is {state}, so there is nothing to cancel; DELETE removes it")]
    Ended {
        /// The state it is in.
        state: &'static str,
    },
    /// One key, two requests.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for SimulationError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
