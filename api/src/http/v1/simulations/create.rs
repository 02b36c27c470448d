//! `POST /api/v1/simulations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::document::SimulationDocument;
use super::schema::ExperimentDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::idempotency_key;
use crate::service::shared::{Access, CallerKind, blocking};
use crate::service::simulations::SimulationService;
use crate::service::simulations::{SimulationError, Started};
use crate::simulation::document::Document;

/// Starts a simulation: an experiment that is played in the background
///
/// For users and operators. The body is an experiment file of `wattbook simulate experiment` with its
/// tables inside; no file is read by its path. With the same `Idempotency-Key` the answer is the
/// simulation started the first time.
#[utoipa::path(
    post,
    path = "/api/v1/simulations",
    tag = "simulation",
    params(("Idempotency-Key" = Option<String>, Header, description = "1 to 255 characters")),
    request_body = ExperimentDocument,
    responses(
        (status = ACCEPTED, body = SimulationDocument, headers(("Location" = String))),
        (status = OK, body = SimulationDocument, description = "Started before with this key"),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "The key was used for another request, or for a simulation that was removed"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "As many of the caller's simulations wait as may; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Too many simulations are waiting; see Retry-After"),
    ),
)]
pub async fn create_simulation(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let owner = by.caller.owner.as_str();
    let key = idempotency_key(&headers, body.text())?;
    let before = simulations.started_before(owner, key.as_ref()).await?;
    let started = if let Some(before) = before {
        before
    } else {
        // Tables may be large: not on an async thread.
        let read = blocking(move || (Document::read(body.text()), body)).await?;
        // The body's room is the document's until that is stored.
        let (document, _room) = (read.0.map_err(Problem::invalid_json)?, read.1.into_room());
        let access = by.caller.access();
        simulations.start_simulation(access, &by.state, document, key.as_ref()).await?
    };
    let (status, id) = match started {
        Started::New(id) => (StatusCode::ACCEPTED, id),
        Started::Before(id) => (StatusCode::OK, id),
    };
    let simulation = simulations.simulation(Access::of(owner, CallerKind::User), id).await;
    let simulation = simulation.map_err(|error| match error {
        SimulationError::NoSimulation(id) => SimulationError::Removed(id),
        error => error,
    })?;
    let location = [(header::LOCATION, format!("/api/v1/simulations/{id}"))];
    Ok((status, location, Json(SimulationDocument::of(&simulation)?)).into_response())
}
