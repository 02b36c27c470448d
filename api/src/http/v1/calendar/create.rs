//! `POST /api/v1/calendar`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::CalendarAddress;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::calendar::CalendarService;

/// Makes a secret address for the caller's calendar feed
///
/// A calendar program subscribes to it and needs no token. The address that the caller had before stops working. It is
/// shown this once.
#[utoipa::path(
    post,
    path = "/api/v1/calendar",
    tag = "people",
    responses(
        (status = OK, body = CalendarAddress),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn renew_calendar(
    State(service): State<Arc<CalendarService>>,
    by: By,
) -> Result<Response, Problem> {
    let (secret, created) = service.renew(by.caller.access()).await?;
    let document = CalendarAddress::new(&secret, created);
    // Nobody between is to keep the secret.
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(document)).into_response())
}
