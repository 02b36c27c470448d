//! `GET /api/v1/notifications`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::NotificationDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::notifications::NotificationService;

/// What the caller is told by mail and by a webhook
#[utoipa::path(
    get,
    path = "/api/v1/notifications",
    tag = "people",
    responses(
        (status = OK, body = NotificationDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_notifications(
    State(service): State<Arc<NotificationService>>,
    by: By,
) -> Result<Json<NotificationDocument>, Problem> {
    let access = by.caller.access();
    let settings = service.notifications(access).await?;
    Ok(Json(NotificationDocument::new(&service, access, settings, None).await?))
}
