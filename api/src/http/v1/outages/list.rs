//! `GET /api/v1/outages`

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::document::OutageDocument;
use crate::http::App;
use crate::http::caller::{Bookers, By};
use crate::http::problem::Problem;
use crate::service::blocking;

/// The outages there are.
#[derive(Serialize, ToSchema)]
pub struct OutageList {
    /// Those that have yet to end, by start.
    pub items: Vec<OutageDocument>,
}

/// Nodes that are or will be out of service
///
/// For users and operators.
#[utoipa::path(
    get,
    path = "/api/v1/outages",
    tag = "cluster",
    responses(
        (status = OK, body = OutageList),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_outages(
    State(app): State<App>,
    _: By<Bookers>,
) -> Result<Json<OutageList>, Problem> {
    let outages = app.service.outages().await?;
    let items = blocking(move || {
        outages.list.iter().map(|it| OutageDocument::new(it, &outages.state)).collect()
    });
    Ok(Json(OutageList { items: items.await? }))
}
