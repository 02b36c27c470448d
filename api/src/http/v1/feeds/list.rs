//! `GET /api/v1/feeds`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::document::FeedsDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::feeds::FeedService;

/// The sources of agendas and how they stand
///
/// For users, operators and suppliers. Both lists are empty where the settings name no sources.
#[utoipa::path(
    get,
    path = "/api/v1/feeds",
    tag = "grid",
    responses((status = OK, body = FeedsDocument), (status = UNAUTHORIZED, body = Problem)),
)]
pub async fn list_feeds(
    State(feeds): State<Arc<FeedService>>,
    _: By,
) -> Result<Json<FeedsDocument>, Problem> {
    Ok(Json(feeds.feeds_status().await?.into()))
}
