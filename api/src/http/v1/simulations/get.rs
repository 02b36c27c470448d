//! `GET /api/v1/simulations/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde_json::value::RawValue;
use storage::{SimulationId, SimulationState};

use super::document::{SimulationDocument, SummedUpSimulation};
use super::stored::is_sweep;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::shared::Fault;
use crate::service::simulations::SimulationService;
use crate::simulation::results::CellFile;

/// One simulation: how far it is, and its summary once it is finished
///
/// For its owner and operators; for others there is none.
#[utoipa::path(
    get,
    path = "/api/v1/simulations/{id}",
    tag = "simulation",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SummedUpSimulation),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_simulation(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    IdInPath(id): IdInPath<SimulationId>,
) -> Result<impl IntoResponse, Problem> {
    let stored = simulations.simulation(by.caller.access(), id).await?;
    let simulation = SimulationDocument::of(&stored)?;
    let summary = if stored.state == SimulationState::Finished {
        let cell = u32::from(!is_sweep(&simulation.experiment));
        let name = CellFile::Summary.name();
        let summary = simulations.simulation_result(&stored, cell, name).await?;
        let text = String::from_utf8(summary).map_err(Fault::internal)?;
        let summary = RawValue::from_string(text.trim_end().to_owned());
        Some(summary.map_err(Fault::internal)?)
    } else {
        None
    };
    let note = by.caller.reads(Some(&stored.owner));
    Ok((note, Json(SummedUpSimulation { simulation, summary })))
}
