//! `PATCH /api/v1/series/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::json::Reader;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use storage::SeriesId;

use super::document::{SeriesDocument, tagged_change};
use super::schema::SeriesPatchDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::series::SeriesService;

/// Changes a series, whose occurrences to come are planned anew
///
/// For its owner, operators and who may change the reservations of its project. The body is a merge patch (RFC 7396) of the
/// series: a field that is null is left out. Each occurrence keeps its reservation until the new one is certain; where that
/// cannot be had it stays as it is, its `reason` says why, and it is tried again while its window lasts. What began, and
/// what was changed on its own, stays.
#[utoipa::path(
    patch,
    path = "/api/v1/series/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = SeriesPatchDocument,
    responses(
        (status = OK, body = SeriesDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is over"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "The site wants to know the project"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn modify_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    IdInPath(id): IdInPath<SeriesId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let patch = body.read(patch)?;
    let version = if_match(&headers)?;
    let access = by.caller.access();
    let before = series.stored(access, id).await?;
    let modified = series.modify(access, id, &patch, version, &by.state);
    tagged_change(&Box::pin(modified).await?, &before)
}

fn patch(reader: &mut Reader, raw: &RawValue) -> Option<Map<String, Value>> {
    let fields = reader
        .members(raw, |reader, _, raw| reader.accept(serde_json::from_str::<Value>(raw.get())))?;
    Some(fields.into_iter().collect())
}
