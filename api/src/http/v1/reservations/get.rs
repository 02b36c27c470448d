//! `GET /api/v1/reservations/{id}`

use axum::extract::State;
use axum::response::Response;

use super::IdInPath;
use super::document::{ReservationDocument, tagged};
use crate::http::App;
use crate::http::caller::{Bookers, By};
use crate::http::problem::Problem;

/// One reservation
///
/// For its owner and operators; for others there is none.
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
    State(app): State<App>,
    by: By<Bookers>,
    IdInPath(id): IdInPath,
) -> Result<Response, Problem> {
    let stored = app.service.reservation(by.caller.access(), id).await?;
    tagged(&app.service, &stored).await
}
