//! `GET /api/v1/nodes/powers`

use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::cluster::NodePowers;
use crate::service::shared::blocking;

/// How finely.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PowersQuery {
    /// At most so many groups, 1 to 500; 200 unless given.
    pub groups: Option<u16>,
}

/// The nodes in ascending order of idle power, and those that stand out
///
/// For users and operators. As large for a million nodes as for some hundred.
#[utoipa::path(
    get,
    path = "/api/v1/nodes/powers",
    tag = "cluster",
    params(PowersQuery),
    responses(
        (status = OK, body = NodePowers),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_node_powers(
    by: By,
    Parameters(parameters): Parameters<PowersQuery>,
) -> Result<Json<NodePowers>, Problem> {
    let groups = query::cells("groups", parameters.groups, 200)?;
    Ok(Json(blocking(move || NodePowers::of(&by.state.cluster.nodes, groups)).await?))
}
