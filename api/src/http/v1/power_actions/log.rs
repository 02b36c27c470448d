//! `GET /api/v1/power-actions/log`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::{PowerLogEntry, PowerLogFilter};
use utoipa::{IntoParams, ToSchema};

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::power_management::PowerManagementService;

/// Which entries of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PowerLogQuery {
    /// Of this node alone.
    pub node: Option<String>,
    /// From this instant on. RFC 3339.
    pub from: Option<String>,
    /// Before this instant. RFC 3339.
    pub to: Option<String>,
    /// Older than this entry.
    pub before: Option<i64>,
    /// Entries in an answer, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// What was decided and done about the power of nodes.
#[derive(Serialize, ToSchema)]
pub struct PowerLogDocument {
    /// The newest first.
    pub entries: Vec<PowerLogEntryDocument>,
}

/// What was decided or done about the power of a node.
#[derive(Serialize, ToSchema)]
pub struct PowerLogEntryDocument {
    /// Later ones are greater.
    pub id: i64,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The node, by name.
    pub node: String,
    /// The power action; null where it is about none.
    pub action_id: Option<i64>,
    /// `proposed`, `asked`, `changed`, `approved`, `refused`, `ordered`, `failed`, `done`, `given_up`, `held` or `released`.
    #[schema(example = "approved")]
    pub what: &'static str,
    /// Who did; null for the service.
    pub by: Option<String>,
    /// Why, in words.
    pub because: Option<String>,
}

impl From<PowerLogEntry> for PowerLogEntryDocument {
    fn from(it: PowerLogEntry) -> Self {
        Self {
            id: it.id,
            at: it.at,
            node: it.node,
            action_id: it.action_id.map(storage::PowerActionId::get),
            what: it.what.word(),
            by: it.by,
            because: it.because,
        }
    }
}

/// What was decided and done about the power of nodes: who, why, what came of it
///
/// For users and operators. The newest first; `before` with the smallest id of an answer goes on.
#[utoipa::path(
    get,
    path = "/api/v1/power-actions/log",
    tag = "cluster",
    params(PowerLogQuery),
    responses(
        (status = OK, body = PowerLogDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_power_log(
    State(service): State<Arc<PowerManagementService>>,
    _: By,
    Parameters(parameters): Parameters<PowerLogQuery>,
) -> Result<Json<PowerLogDocument>, Problem> {
    let filter = PowerLogFilter {
        node: query::name("node", parameters.node)?,
        from: query::instant("from", parameters.from.as_deref())?,
        to: query::instant("to", parameters.to.as_deref())?,
        before: parameters.before,
        limit: query::limit(parameters.limit, 100, 1000)?.into(),
    };
    let entries = service.log(&filter).await?;
    Ok(Json(PowerLogDocument { entries: entries.into_iter().map(Into::into).collect() }))
}
