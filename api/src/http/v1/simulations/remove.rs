//! `DELETE /api/v1/simulations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use storage::SimulationId;

use super::document::SimulationDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::simulations::{Removed, SimulationService};

/// Cancels a simulation that is queued or running, and removes one that has ended
///
/// For its owner and operators. What is removed is gone with its results.
#[utoipa::path(
    delete,
    path = "/api/v1/simulations/{id}",
    tag = "simulation",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SimulationDocument, description = "It was cancelled"),
        (status = NO_CONTENT, description = "It is removed"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn remove_simulation(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    IdInPath(id): IdInPath<SimulationId>,
) -> Result<Response, Problem> {
    Ok(match simulations.remove_simulation(by.caller.access(), id).await? {
        Removed::Cancelled(simulation) => {
            let note = Extension(AuditNote::of_owner(&*simulation.owner));
            (note, Json(SimulationDocument::of(&simulation)?)).into_response()
        }
        Removed::Gone(owner) => {
            (Extension(AuditNote::of_owner(owner)), StatusCode::NO_CONTENT).into_response()
        }
    })
}
