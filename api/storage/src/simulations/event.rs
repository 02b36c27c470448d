//! What is told of simulations.

use serde_json::json;

use crate::events::NewEvent;
use crate::identity::SimulationId;
use crate::simulations::SimulationState;

/// A simulation that reached a state.
pub(crate) fn simulation_reached(
    id: SimulationId,
    owner: &str,
    state: SimulationState,
) -> NewEvent {
    let state = state.word();
    let data = json!({ "simulation_id": id.to_string(), "state": state });
    NewEvent::new(format!("simulation.{state}"), data).of(owner)
}
