//! Why a simulation is not started, shown or ended, as problems.

use super::Problem;
use crate::service::simulations::SimulationError;

impl From<SimulationError> for Problem {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Invalid(errors) => Self::invalid_json(errors),
            SimulationError::NoSimulation(id) => Self::not_found(format!("simulation {id}")),
            SimulationError::Removed(_) => {
                Self::conflict("simulation_removed", "The simulation was removed", &error)
            }
            SimulationError::NotFinished { .. } => {
                Self::conflict("not_finished", "Not finished", &error)
            }
            SimulationError::Ended { .. } => {
                Self::conflict("wrong_state", "Not in this state", &error)
            }
            SimulationError::QueueFull => {
                let title = "Too many simulations are waiting";
                Self::busy("simulation_queue_full", title, &error, 30).of_limit("simulation_queue")
            }
            SimulationError::TooMany(_) => {
                Self::too_many("too_many_simulations", "Too many simulations", &error, 30)
                    .of_limit("simulations_per_user")
            }
            SimulationError::Key(error) => error.into(),
            SimulationError::Fault(fault) => fault.into(),
        }
    }
}
