//! `POST /api/v1/reservations`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::document::{ReservationDocument, tagged};
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::idempotency_key;
use crate::http::v1::schema::ReservationRequest;
use crate::service::booking::{BookingError, BookingService, Proposed, Purpose};
use crate::service::shared::{Access, CallerKind, IdempotencyKey};

/// Proposes a reservation: its offers are held until `expires_at`
///
/// For users and operators. Sent again with the same `Idempotency-Key` it answers with the
/// reservation made the first time. With `expected` nothing is held unless one of the offers is that
/// one: 409 `offer_changed` with what is possible now.
#[utoipa::path(
    post,
    path = "/api/v1/reservations",
    tag = "planning",
    params(("Idempotency-Key" = Option<String>, Header, description = "1 to 255 characters")),
    request_body = ReservationRequest,
    responses(
        (status = CREATED, body = ReservationDocument, headers(("ETag" = String), ("Location" = String))),
        (status = OK, body = ReservationDocument, description = "Made before with this key"),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "Not in the project, a priority above 0, or a rule of the site is against it"),
        (status = CONFLICT, body = Problem, description = "The key was used for another request, no offer is what is `expected`, or the book kept changing"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "Impossible; with the reasons. Or the site wants to know the project, or it is too far ahead for how one stands"),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "The caller holds too much, or too many of their plans wait; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn create_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let key = idempotency_key(&headers, body.text())?;
    let owner = by.caller.owner.as_str();
    let (status, reservation) = match propose(&booking, &by, &body, key.as_ref()).await? {
        Proposed::New(reservation) => (StatusCode::CREATED, *reservation),
        Proposed::Before(id) => {
            let before = booking.reservation(Access::of(owner, CallerKind::User), id).await?;
            (StatusCode::OK, before)
        }
    };
    let mut response = tagged(&booking, &reservation).await?;
    *response.status_mut() = status;
    let location = format!("/api/v1/reservations/{}", reservation.id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn propose(
    booking: &BookingService,
    by: &By,
    body: &JsonBody,
    key: Option<&IdempotencyKey>,
) -> Result<Proposed, Problem> {
    let owner = by.caller.owner.as_str();
    // First of all: what was answered once is answered again, even when its window has passed.
    if let Some(before) = booking.proposed_before(owner, key).await? {
        return Ok(before);
    }
    let request = booking.read_request(body.text(), Purpose::Reservation, &by.state);
    let request = request.map_err(Problem::invalid_json)?;
    if request.priority > 0 && !by.caller.access().is_operator() {
        return Err(BookingError::PriorityIsForOperators.into());
    }
    let request = booking.with_project(by.caller.access(), request)?;
    let request = booking.within_rights(by.caller.access(), request)?;
    booking.check_ahead(by.caller.access(), &request)?;
    let request = booking.with_learnt_utilisation(request).await?;
    Ok(booking.propose(by.caller.access(), &request, key).await?)
}
