//! `GET /api/v1/simulations/{id}/events`

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use storage::{Simulation, SimulationId, SimulationState};

use super::document::SimulationProgress;
use crate::http::by::By;
use crate::http::caller::Caller;
use crate::http::problem::Problem;
use crate::http::v1::event_stream;
use crate::http::v1::path::IdInPath;
use crate::service::events::EventService;
use crate::service::shared::{Fault, Share, StateCache};
use crate::service::simulations::SimulationService;

/// How often the database is asked: whichever process plays the simulation writes there.
const LOOK: Duration = Duration::from_millis(500);

/// How a simulation goes, as server-sent events
///
/// For its owner and operators. `state` events tell of a new state, `progress` events of finished
/// runs; the data of both is how the simulation stands. The first event says how it stands now, the last one that
/// it has ended, and then the stream ends. With `Last-Event-ID` only what is newer is sent; where
/// nothing will follow, the answer is 204.
#[utoipa::path(
    get,
    path = "/api/v1/simulations/{id}/events",
    tag = "simulation",
    params(("id" = uuid::Uuid, Path), ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event seen")),
    responses(
        (status = OK, body = SimulationProgress, content_type = "text/event-stream"),
        (status = NO_CONTENT, description = "It has ended, and all was seen"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "The caller watches by too many streams; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Too many watch"),
    ),
)]
pub async fn watch_simulation(
    State(simulations): State<Arc<SimulationService>>,
    State(events): State<Arc<EventService>>,
    State(states): State<Arc<StateCache>>,
    by: By,
    IdInPath(id): IdInPath<SimulationId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let now = simulations.simulation(by.caller.access(), id).await?;
    // All is sent to who names what is no id.
    let seen = event_stream::last_event_id(&headers).unwrap_or_default();
    if now.state.has_ended() && seen.is_some_and(|seen| seen >= now.version) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let note = by.caller.reads(Some(&now.owner));
    let place = events.stream_place(by.caller.access())?;
    let watch = Watch {
        _place: place,
        simulations,
        events,
        states,
        caller: by.caller,
        unsent: (seen != Some(now.version)).then(|| now.clone()),
        state: None,
        last: now,
    };
    Ok((note, event_stream::answer(stream::unfold(watch, Watch::next))).into_response())
}

/// One client that watches.
struct Watch {
    _place: Share,
    simulations: Arc<SimulationService>,
    events: Arc<EventService>,
    states: Arc<StateCache>,
    caller: Caller,
    /// What is known and was not sent.
    unsent: Option<Simulation>,
    /// The state that was sent last.
    state: Option<SimulationState>,
    /// What is known.
    last: Simulation,
}

impl Watch {
    /// The next event. The stream ends with the simulation, the service, and the caller's right to watch; also where the
    /// simulation was removed, or the database is out of reach, which clients find out when they
    /// come again.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(simulation) = self.unsent.take() {
                let event = self.event(&simulation)?;
                return Some((Ok(event), self));
            }
            if self.last.state.has_ended() {
                return None;
            }
            tokio::select! {
                () = self.events.stopped() => return None,
                () = self.caller.expired() => return None,
                () = tokio::time::sleep(LOOK) => {}
            }
            let state = self.states.newest().await.ok()?;
            if !self.caller.is_still_known(&state) {
                return None;
            }
            let now = self.simulations.simulation(self.caller.access(), self.last.id).await.ok()?;
            if now.version != self.last.version {
                self.unsent = Some(now.clone());
                self.last = now;
            }
        }
    }

    /// How a simulation stands; `None`, which ends the stream, where what is stored of it cannot be
    /// read.
    fn event(&mut self, simulation: &Simulation) -> Option<Event> {
        let name = if self.state == Some(simulation.state) { "progress" } else { "state" };
        self.state = Some(simulation.state);
        let event = event_stream::event(name, simulation.version);
        let data = SimulationProgress::of(simulation)
            .and_then(|progress| serde_json::to_string(&progress).map_err(Fault::internal));
        match data {
            Ok(data) => Some(event.data(data)),
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::error!(id = %simulation.id, error, "a simulation cannot be read");
                None
            }
        }
    }
}
