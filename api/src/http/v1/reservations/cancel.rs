//! `DELETE /api/v1/reservations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;

use super::document::{ReservationDocument, tagged_change};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::BookingService;

/// Cancels a reservation; its nodes are free from now on
///
/// For its owner, operators and who may change the reservations of its project. Works in every state but the final ones.
#[utoipa::path(
    delete,
    path = "/api/v1/reservations/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It has ended already, or jobs run or wait in it and the site does not want that"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
    ),
)]
pub async fn cancel_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let version = if_match(&headers)?;
    let changed = booking.cancel(by.caller.access(), id, version).await?;
    booking.changed_alone(id).await?;
    tagged_change(&booking, &changed).await
}
