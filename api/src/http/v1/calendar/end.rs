//! `DELETE /api/v1/calendar`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::calendar::CalendarService;

/// Ends the caller's calendar feed
///
/// Its address stops working. Where the caller has none, nothing is done.
#[utoipa::path(
    delete,
    path = "/api/v1/calendar",
    tag = "people",
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn end_calendar(
    State(service): State<Arc<CalendarService>>,
    by: By,
) -> Result<StatusCode, Problem> {
    service.end(by.caller.access()).await?;
    Ok(StatusCode::NO_CONTENT)
}
