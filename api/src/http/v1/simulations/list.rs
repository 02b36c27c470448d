//! `GET /api/v1/simulations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use storage::{SimulationFilter, SimulationId, SimulationState};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::SimulationDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::simulations::SimulationService;

/// Which simulations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SimulationsQuery {
    /// Only in these states, separated by commas.
    pub state: Option<String>,
    /// Only this owner's; operators only, others see their own.
    pub owner: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Simulations in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of simulations.
#[derive(Serialize, ToSchema)]
pub struct SimulationList {
    /// Oldest first.
    pub items: Vec<SimulationDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Simulations, oldest first, without their summaries
///
/// For users, who see their own, and operators, who see all.
#[utoipa::path(
    get,
    path = "/api/v1/simulations",
    tag = "simulation",
    params(SimulationsQuery),
    responses(
        (status = OK, body = SimulationList),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_simulations(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    Parameters(parameters): Parameters<SimulationsQuery>,
) -> Result<impl IntoResponse, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let filter = SimulationFilter {
        states: query::words("state", parameters.state.as_deref(), SimulationState::from_word)?,
        owner: query::name("owner", parameters.owner)?,
    };
    let note = by.caller.reads(filter.owner.as_deref());
    let after = parameters.cursor.map(SimulationId::new);
    let page = simulations.simulations(by.caller.access(), filter, after, limit).await?;
    let items = page.simulations.iter().map(SimulationDocument::of);
    let list = SimulationList {
        items: items.collect::<Result<_, _>>()?,
        next_cursor: page.next.map(SimulationId::as_uuid),
    };
    Ok((note, Json(list)))
}
