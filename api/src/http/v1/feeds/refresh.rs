//! `POST /api/v1/feeds/{id}/refresh`

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::feeds::FeedService;

/// What becomes of a wish for a refresh.
#[derive(Serialize, ToSchema)]
pub struct RefreshDocument {
    /// The source.
    #[schema(example = "entsoe-fr")]
    pub id: String,
    /// It is not asked before, RFC 3339: the supplier may have asked to wait.
    #[schema(value_type = String, format = DateTime)]
    pub earliest_poll_at: Timestamp,
}

/// Asks a source as soon as its supplier and its budget of requests permit
///
/// For operators. Whichever replica sees to the source asks it.
#[utoipa::path(
    post,
    path = "/api/v1/feeds/{id}/refresh",
    tag = "grid",
    params(("id" = String, Path)),
    responses(
        (status = ACCEPTED, body = RefreshDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn refresh_feed(
    State(feeds): State<Arc<FeedService>>,
    _: By,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<RefreshDocument>), Problem> {
    let refreshed = feeds.refresh_feed(&id).await?;
    let refreshed = refreshed.ok_or_else(|| Problem::not_found("such feed"))?;
    let earliest_poll_at = refreshed.earliest_poll;
    Ok((StatusCode::ACCEPTED, Json(RefreshDocument { id, earliest_poll_at })))
}
