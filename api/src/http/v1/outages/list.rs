//! `GET /api/v1/outages`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::identity::OutageId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::OutageDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::cluster::ClusterService;
use crate::service::shared::blocking;

/// Which outages.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OutagesQuery {
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Outages in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of outages that have yet to end.
#[derive(Serialize, ToSchema)]
pub struct OutagesPage {
    /// Oldest first.
    pub items: Vec<OutageDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Nodes that are or will be out of service
///
/// For users and operators. Those that the resource manager tells of are listed too, but not nodes that
/// run other people's jobs.
#[utoipa::path(
    get,
    path = "/api/v1/outages",
    tag = "cluster",
    params(OutagesQuery),
    responses(
        (status = OK, body = OutagesPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_outages(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    Parameters(parameters): Parameters<OutagesQuery>,
) -> Result<Json<OutagesPage>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let after = parameters.cursor.map(OutageId::new);
    let (outages, next) = cluster.outages(after, limit, by.state);
    let items = blocking(move || {
        outages.list.iter().map(|it| OutageDocument::new(it, &outages.state)).collect()
    });
    Ok(Json(OutagesPage { items: items.await?, next_cursor: next.map(OutageId::as_uuid) }))
}
