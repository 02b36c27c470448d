//! `GET /api/v1/power-actions`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use storage::{PowerActionFilter, PowerActionId};
use utoipa::{IntoParams, ToSchema};

use super::document::PowerActionsDocument;
use crate::config::Settings;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::power_management::PowerManagementService;

/// Which power actions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PowerActionsQuery {
    /// Those that are not final, or those that are; both unless given.
    #[param(inline)]
    pub state: Option<ListedState>,
    /// Of this node alone.
    pub node: Option<String>,
    /// Older than this one.
    pub before: Option<i64>,
    /// Actions in an answer, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// Which states are listed.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListedState {
    /// Proposed, waiting, ordered or failed.
    Open,
    /// Done, refused or given up.
    Final,
}

/// What is done, or proposed, to switch nodes
///
/// For users and operators. The newest first; `before` with the smallest id of an answer goes on.
#[utoipa::path(
    get,
    path = "/api/v1/power-actions",
    tag = "cluster",
    params(PowerActionsQuery),
    responses(
        (status = OK, body = PowerActionsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_power_actions(
    State(service): State<Arc<PowerManagementService>>,
    State(settings): State<Arc<Settings>>,
    _: By,
    Parameters(parameters): Parameters<PowerActionsQuery>,
) -> Result<Json<PowerActionsDocument>, Problem> {
    let filter = PowerActionFilter {
        node: query::name("node", parameters.node)?,
        open: parameters.state.map(|state| state == ListedState::Open),
        before: parameters.before.map(PowerActionId::from),
        limit: query::limit(parameters.limit, 100, 1000)?.into(),
    };
    let list = service.list(&filter).await?;
    Ok(Json(PowerActionsDocument::new(list, settings.currency)))
}
