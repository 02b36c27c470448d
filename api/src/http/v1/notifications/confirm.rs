//! `POST /api/v1/notifications/confirm`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::Reader;

use super::{ConfirmationBody, NotificationDocument};
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::notifications::NotificationService;

/// Confirms the caller's address by the code that was sent there
#[utoipa::path(
    post,
    path = "/api/v1/notifications/confirm",
    tag = "people",
    request_body = ConfirmationBody,
    responses(
        (status = OK, body = NotificationDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is not the code that was sent last, or it is too old, or was tried too often"),
        (status = REQUEST_TIMEOUT, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn confirm_notifications(
    State(service): State<Arc<NotificationService>>,
    by: By,
    body: JsonBody,
) -> Result<Json<NotificationDocument>, Problem> {
    let code = body.read(|reader, raw| {
        let object = reader.object(raw, &["code"])?;
        reader.required(&object, "code", Reader::string)
    })?;
    let access = by.caller.access();
    let settings = service.confirm(access, &code).await?;
    Ok(Json(NotificationDocument::new(&service, access, settings, None).await?))
}
