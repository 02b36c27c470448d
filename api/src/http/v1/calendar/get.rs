//! `GET /api/v1/calendar`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::CalendarDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::calendar::CalendarService;

/// Whether the caller has a calendar feed
///
/// Its address is not told: only its digest is kept.
#[utoipa::path(
    get,
    path = "/api/v1/calendar",
    tag = "people",
    responses(
        (status = OK, body = CalendarDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_calendar(
    State(service): State<Arc<CalendarService>>,
    by: By,
) -> Result<Json<CalendarDocument>, Problem> {
    let created = service.created(by.caller.access()).await?;
    Ok(Json(CalendarDocument { created_at: created.map(|at| at.to_string()) }))
}
