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
    reservation_told(&format!("reservation.{}", state.word()), id, owner, state.word())
}

/// What else became of a reservation, beside the word of its state.
pub(crate) fn reservation_told(
    kind: &str,
    id: ReservationId,
    owner: &str,
    state: &str,
) -> NewEvent {
    let data = json!({ "reservation_id": id.to_string(), "state": state });
    NewEvent::new(kind, data).of(owner)
}

/// A reservation that has another owner: told to both.
pub(crate) fn reservation_transferred(
    id: ReservationId,
    from: &str,
    to: &str,
    state: ReservationState,
) -> [NewEvent; 2] {
    let data = json!({
        "reservation_id": id.to_string(), "state": state.word(), "from": from, "to": to,
    });
    [from, to].map(|owner| NewEvent::new("reservation.transferred", data.clone()).of(owner))
}
