//! `GET /api/v1/reservations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use planner::identity::ReservationId;

use super::document::{ReservationDocument, tagged};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::booking::BookingService;

/// One reservation
///
/// For its owner, operators and who sees the reservations of its project; for others there is none.
#[utoipa::path(
    get,
    path = "/api/v1/reservations/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
) -> Result<Response, Problem> {
    let stored = booking.reservation(by.caller.access(), id).await?;
    tagged(&booking, &stored).await
}
