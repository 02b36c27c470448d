//! `GET /api/v1/series/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use storage::SeriesId;

use super::document::{SeriesDocument, tagged};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::series::SeriesService;

/// A series with all of its occurrences
///
/// For its owner, operators and who may see the reservations of its project.
#[utoipa::path(
    get,
    path = "/api/v1/series/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SeriesDocument, headers(("ETag" = String))),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    IdInPath(id): IdInPath<SeriesId>,
) -> Result<Response, Problem> {
    tagged(&series.series(by.caller.access(), id).await?)
}
