//! What is sent of an event.

use planner::time::Timestamp;
use serde_json::{Map, Value, json};
use storage::{Event, EventId, WebhookState};

use crate::service::shared::Fault;

/// What is sent.
pub(super) struct EventMessage {
    /// The message's id, which stays the same however often it is sent, so that receivers can tell repetitions.
    pub(super) id: String,
    pub(super) body: String,
    /// The event that is dealt with by it.
    pub(super) position: EventId,
}

impl EventMessage {
    /// An event, as a stream tells it to an operator.
    pub(super) fn event(state: &WebhookState, event: &Event) -> Result<Self, Fault> {
        let mut data: Map<String, Value> =
            serde_json::from_str(&event.data).map_err(Fault::internal)?;
        data.insert("at".to_owned(), json!(event.at));
        if let Some(owner) = &event.owner {
            data.insert("owner".to_owned(), json!(owner));
        }
        let id = format!("evt_{}_{}", state.instance.simple(), event.id);
        Ok(Self::new(id, &event.kind, event.id, event.at, &data))
    }

    /// That events up to one were not told and are not kept any more.
    pub(super) fn lost(state: &WebhookState, up_to: EventId, now: Timestamp) -> Self {
        let data = Map::from_iter([("at".to_owned(), json!(now))]);
        let id = format!("rst_{}_{}", state.instance.simple(), state.position);
        Self::new(id, "stream.reset", up_to, now, &data)
    }

    fn new(
        id: String,
        kind: &str,
        position: EventId,
        at: Timestamp,
        data: &Map<String, Value>,
    ) -> Self {
        let body = json!({ "id": position.get(), "type": kind, "timestamp": at, "data": data });
        Self { id, body: body.to_string(), position }
    }
}
