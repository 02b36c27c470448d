//! `POST /api/v1/quotas/adjustments`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};

use super::document::{QuotaAdjustmentDocument, audited};
use super::members::new_adjustment;
use super::schema::QuotaAdjustmentRequest;
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::quotas::QuotaService;

/// Adjusts quotas for a time
///
/// For operators. While it is in force the rule goes before all rules of the settings for the reservations that it concerns,
/// in what it limits; of several adjustments the most specific says, and of equals the newest. It counts from the next
/// decision of any replica on. A limit that is lowered takes nothing from anybody.
#[utoipa::path(
    post,
    path = "/api/v1/quotas/adjustments",
    tag = "accounting",
    request_body = QuotaAdjustmentRequest,
    responses(
        (status = CREATED, body = QuotaAdjustmentDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "The site has no quotas"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_quota_adjustment(
    State(service): State<Arc<QuotaService>>,
    by: By,
    body: JsonBody,
) -> Result<(StatusCode, Extension<AuditNote>, Json<QuotaAdjustmentDocument>), Problem> {
    let new = body.read(new_adjustment)?;
    let made = service.adjust(&by.caller.owner, new).await?;
    let note = AuditNote::of_change(None, Some(audited(&made)));
    let note = note.about(format!("quotas/adjustments/{}", made.id));
    Ok((StatusCode::CREATED, Extension(note), Json(QuotaAdjustmentDocument::new(&made))))
}
