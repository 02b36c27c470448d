//! `GET /api/v1/calibrations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::CalibrationDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::cluster::ClusterService;

/// Which calibrations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CalibrationsQuery {
    /// Only of this node.
    pub node: Option<String>,
    /// At most so many, 1 to 10000; 1000 unless given.
    pub limit: Option<u16>,
}

/// Calibrations, newest first.
#[derive(Serialize, ToSchema)]
pub struct CalibrationsPage {
    /// Newest first.
    pub items: Vec<CalibrationDocument>,
}

/// What measuring the nodes found, newest first
///
/// For users and operators.
#[utoipa::path(
    get,
    path = "/api/v1/calibrations",
    tag = "cluster",
    params(CalibrationsQuery),
    responses(
        (status = OK, body = CalibrationsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_calibrations(
    State(cluster): State<Arc<ClusterService>>,
    _: By,
    Parameters(parameters): Parameters<CalibrationsQuery>,
) -> Result<Json<CalibrationsPage>, Problem> {
    let limit = query::limit(parameters.limit, 1000, 10_000)?;
    let node = query::name("node", parameters.node)?;
    let found = cluster.calibrations(node.as_deref(), limit.into()).await?;
    Ok(Json(CalibrationsPage { items: found.iter().map(CalibrationDocument::from).collect() }))
}
