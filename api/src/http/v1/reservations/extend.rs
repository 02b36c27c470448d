//! `POST /api/v1/reservations/{id}/extend`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use planner::request::is_duration;
use planner::time::Seconds;
use serde_json::value::RawValue;

use super::document::{ReservationDocument, tagged_change};
use super::schema::ExtensionDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, Extension};

/// Lets a confirmed or active reservation keep its nodes for longer
///
/// For its owner, operators and who may change the reservations of its project. It keeps its own nodes, and none is moved.
/// The energy, cost and CO2 of its offer are those until the new end. Where the nodes are taken, the cap leaves no room or
/// an agenda is not known, nothing is changed and the answer is 422 `impossible`: `reasons` says what is in the way from
/// when on, the nearest first, `longest_s` the longest extension that would fit, and `latest_end` when it would end. Where a
/// quota would be exceeded it is 422 `quota`.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/extend",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = ExtensionDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is neither confirmed nor active, or the book kept changing"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "Not possible, with what is in the way and `longest_s`; or a quota would be exceeded"),
        (status = TOO_MANY_REQUESTS, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem),
    ),
)]
pub async fn extend_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let extension = body.read(extension)?;
    let version = if_match(&headers)?;
    let extended = booking.extend(by.caller.access(), id, extension, version).await?;
    booking.changed_alone(id).await?;
    tagged_change(&booking, &extended).await
}

fn extension(reader: &mut Reader, raw: &RawValue) -> Option<Extension> {
    let object = reader.object(raw, &["by_s", "until"])?;
    match (object.get("by_s"), object.get("until")) {
        (Some(_), None) => reader.required(&object, "by_s", seconds).map(Extension::By),
        (None, Some(_)) => {
            reader.required(&object, "until", Reader::timestamp).map(Extension::Until)
        }
        _ => {
            reader.error("must have either by_s or until");
            None
        }
    }
}

fn seconds(reader: &mut Reader, raw: &RawValue) -> Option<Seconds> {
    let seconds = Seconds::new(reader.whole_number(raw)?);
    let read = is_duration(seconds).then_some(seconds);
    reader.accept(read.ok_or("must be a whole number of seconds from 1 to 100000000"))
}
