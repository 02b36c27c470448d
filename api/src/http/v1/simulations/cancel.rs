//! `POST /api/v1/simulations/{id}/cancel`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use storage::SimulationId;

use super::document::SimulationDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::simulations::SimulationService;

/// Stops a simulation that is queued or running
///
/// For its owner and operators. The results of its finished cells stay. One that was cancelled
/// before stays as it is.
#[utoipa::path(
    post,
    path = "/api/v1/simulations/{id}/cancel",
    tag = "simulation",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SimulationDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is finished or failed"),
    ),
)]
pub async fn cancel_simulation(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    IdInPath(id): IdInPath<SimulationId>,
) -> Result<(Extension<AuditNote>, Json<SimulationDocument>), Problem> {
    let cancelled = simulations.cancel_simulation(by.caller.access(), id).await?;
    let note = AuditNote::of_owner(&*cancelled.owner);
    Ok((Extension(note), Json(SimulationDocument::of(&cancelled)?)))
}
