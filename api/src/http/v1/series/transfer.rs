//! `POST /api/v1/series/{id}/transfer`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::json::Reader;
use serde_json::value::RawValue;
use storage::SeriesId;

use super::document::{SeriesDocument, tagged_change};
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::http::v1::reservations::schema::TransferDocument;
use crate::service::series::SeriesService;

/// Gives a series to another owner, with its reservations that have not ended
///
/// For its owner, operators and who manages its project. The site must know the new owner, by an API token or as a person
/// who signed in, and they must be in its project. Reservations are given one after the other; where one cannot be, the
/// series stays with its owner, and goes on with the others when it is asked again.
#[utoipa::path(
    post,
    path = "/api/v1/series/{id}/transfer",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = TransferDocument,
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
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "The site knows nobody of this name, or they are not in its project, or a quota is in the way"),
    ),
)]
pub async fn transfer_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    IdInPath(id): IdInPath<SeriesId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let owner = body.read(owner)?;
    let version = if_match(&headers)?;
    let access = by.caller.access();
    let before = series.stored(access, id).await?;
    tagged_change(&series.transfer(access, id, &owner, version).await?, &before)
}

fn owner(reader: &mut Reader, raw: &RawValue) -> Option<Box<str>> {
    let object = reader.object(raw, &["owner"])?;
    reader.required(&object, "owner", Reader::name)
}
