//! What is told of reservations.

use planner::identity::ReservationId;
use planner::reservation::ReservationState;
use serde_json::json;

use crate::events::NewEvent;

/// A reservation that reached a state.
pub(crate) fn reservation_reached(
    id: ReservationId,
    owner: &str,
    state: ReservationState,
) -> NewEvent {
    let state = state.word();
    let data = json!({ "reservation_id": id.to_string(), "state": state });
    NewEvent::new(format!("reservation.{state}"), data).of(owner)
}
