//! `DELETE /api/v1/quotas/adjustments/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::QuotaAdjustmentId;

use super::document::{QuotaAdjustmentDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::quotas::QuotaService;

/// Ends a quota adjustment now
///
/// For operators. One that has yet to begin is taken back; one that has begun stays in the list of all; one that has ended
/// stays as it is.
#[utoipa::path(
    delete,
    path = "/api/v1/quotas/adjustments/{id}",
    tag = "accounting",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = QuotaAdjustmentDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn end_quota_adjustment(
    State(service): State<Arc<QuotaService>>,
    _: By,
    IdInPath(id): IdInPath<QuotaAdjustmentId>,
) -> Result<(Extension<AuditNote>, Json<QuotaAdjustmentDocument>), Problem> {
    let ended = service.end_adjustment(id).await?;
    let note = AuditNote::of_change(Some(audited(&ended.before)), Some(audited(&ended.after)));
    Ok((Extension(note), Json(QuotaAdjustmentDocument::new(&ended.after))))
}
