//! `DELETE /api/v1/series/{id}/occurrences/{occurrence}`

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use storage::SeriesId;

use super::document::{SeriesDocument, tagged_change};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::{IdInPath, part};
use crate::service::series::SeriesService;

/// The name of an occurrence in the path.
pub struct OccurrenceInPath(String);

impl<S: Send + Sync> FromRequestParts<S> for OccurrenceInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(Self(part(parts, state, "occurrence").await))
    }
}

/// Leaves one occurrence out
///
/// For the series' owner, operators and who may change the reservations of its project. Its reservation is cancelled
/// unless it began, and its local time is among the series' exceptions from now on.
#[utoipa::path(
    delete,
    path = "/api/v1/series/{id}/occurrences/{occurrence}",
    tag = "planning",
    params(
        ("id" = uuid::Uuid, Path),
        ("occurrence" = String, Path, description = "Its nominal local start, such as 2026-12-07T08:00:00"),
    ),
    responses(
        (status = OK, body = SeriesDocument, headers(("ETag" = String))),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It, or the series, is over"),
    ),
)]
pub async fn skip_occurrence(
    State(series): State<Arc<SeriesService>>,
    by: By,
    IdInPath(id): IdInPath<SeriesId>,
    OccurrenceInPath(occurrence): OccurrenceInPath,
) -> Result<Response, Problem> {
    let access = by.caller.access();
    let before = series.stored(access, id).await?;
    tagged_change(&series.skip(access, id, &occurrence).await?, &before)
}
