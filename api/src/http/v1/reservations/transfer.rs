//! `POST /api/v1/reservations/{id}/transfer`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use serde_json::value::RawValue;

use super::document::{ReservationDocument, tagged_change};
use super::schema::TransferDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::BookingService;

/// Gives a reservation to another owner
///
/// For its owner, operators and who manages its project, where the site lets managers act; in every state but the final
/// ones. The site must know the new owner, by an API token or as a person who signed in, and they must be in its project.
/// Both owners are told by the event `reservation.transferred`, and Slurm's reservation is the new owner's.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/transfer",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = TransferDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It has ended, or it is a proposal and the new owner has as many as one may have"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "The site knows nobody of this name, or they are not in its project, or a quota is in the way"),
    ),
)]
pub async fn transfer_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let owner = body.read(owner)?;
    let version = if_match(&headers)?;
    let transferred = booking.transfer(by.caller.access(), id, &owner, version).await?;
    booking.changed_alone(id).await?;
    tagged_change(&booking, &transferred).await
}

fn owner(reader: &mut Reader, raw: &RawValue) -> Option<Box<str>> {
    let object = reader.object(raw, &["owner"])?;
    reader.required(&object, "owner", Reader::name)
}
