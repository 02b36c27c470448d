//! `PATCH /api/v1/quotas/adjustments/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::QuotaAdjustmentId;

use super::document::{QuotaAdjustmentDocument, audited};
use super::members::patch;
use super::schema::QuotaAdjustmentPatchRequest;
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::quotas::QuotaService;

/// Changes the limits, the end or the reason of a quota adjustment
///
/// For operators. Whom it concerns, and since when, stays. What is judged from now on is judged by it as it is then, also for
/// the time in which it was another.
#[utoipa::path(
    patch,
    path = "/api/v1/quotas/adjustments/{id}",
    tag = "accounting",
    params(("id" = uuid::Uuid, Path)),
    request_body = QuotaAdjustmentPatchRequest,
    responses(
        (status = OK, body = QuotaAdjustmentDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It has ended, or others change it too"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn change_quota_adjustment(
    State(service): State<Arc<QuotaService>>,
    _: By,
    IdInPath(id): IdInPath<QuotaAdjustmentId>,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<QuotaAdjustmentDocument>), Problem> {
    let patch = body.read(patch)?;
    let changed = service.change_adjustment(id, &patch).await?;
    let note = AuditNote::of_change(Some(audited(&changed.before)), Some(audited(&changed.after)));
    Ok((Extension(note), Json(QuotaAdjustmentDocument::new(&changed.after))))
}
