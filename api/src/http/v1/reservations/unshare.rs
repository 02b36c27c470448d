//! `POST /api/v1/reservations/{id}/unshare`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use serde_json::value::RawValue;
use storage::SharingChange;

use super::document::{ReservationDocument, tagged_change};
use super::schema::UnsharingDocument;
use super::share::receivers;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, PROJECTS, WITH};

/// Shares a reservation with some no more
///
/// For its owner, operators and who may change the reservations of its project. Jobs of theirs that run in it in Slurm go on.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/unshare",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = UnsharingDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem, description = "Also where it is not shared with one of these"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It has ended"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn unshare_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let change = body.read(unsharing)?;
    let version = if_match(&headers)?;
    let changed = booking.change_sharing(by.caller.access(), id, &change, version).await?;
    tagged_change(&booking, &changed).await
}

fn unsharing(reader: &mut Reader, raw: &RawValue) -> Option<SharingChange> {
    let object = reader.object(raw, &[WITH, PROJECTS])?;
    receivers(reader, &object).map(SharingChange::Unshare)
}
