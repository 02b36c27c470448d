//! `PATCH /api/v1/reservations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;

use super::document::{ReservationDocument, tagged_change};
use super::schema::RequestPatchDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, RequestPatch};

/// Changes the request of a reservation, which is planned anew as if it were not there
///
/// For its owner, operators and who may change the reservations of its project. The body is a merge patch (RFC 7396) of the
/// request: a field that is null is left out. What the reservation holds is kept until what is new is certain. A proposed
/// one gets new offers, held anew until `expires_at`; a confirmed one that has not begun the best start by `ranking`.
/// Labels, the note and the project change nothing that is held, and may change while it runs. With `expected` nothing is
/// changed unless the offer is that one: 409 `offer_changed`.
#[utoipa::path(
    patch,
    path = "/api/v1/reservations/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = RequestPatchDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It runs or has ended, no offer is what is `expected`, or the book kept changing"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "Impossible, with the reasons, or a quota is in the way; nothing is changed"),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "The caller holds too much, or too many of their plans wait; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn modify_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let patch = body.read(RequestPatch::read)?;
    let version = if_match(&headers)?;
    let modified = booking.modify(by.caller.access(), id, &patch, version).await?;
    booking.changed_alone(id).await?;
    tagged_change(&booking, &modified).await
}
