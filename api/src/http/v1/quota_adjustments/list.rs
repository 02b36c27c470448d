//! `GET /api/v1/quotas/adjustments`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::identity::QuotaAdjustmentId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::QuotaAdjustmentDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::quotas::QuotaService;

/// Which adjustments.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QuotaAdjustmentsQuery {
    /// Those that have ended, too.
    pub ended: Option<bool>,
    /// Those alone that are, were or will be in force at this instant, RFC 3339.
    pub at: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Adjustments in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of quota adjustments.
#[derive(Serialize, ToSchema)]
pub struct QuotaAdjustmentsPage {
    /// Oldest first.
    pub items: Vec<QuotaAdjustmentDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Quota adjustments that have yet to end, all, or those of an instant
///
/// For operators. Others see of theirs in `GET /api/v1/quotas` that their limit comes from one, why and until when.
#[utoipa::path(
    get,
    path = "/api/v1/quotas/adjustments",
    tag = "accounting",
    params(QuotaAdjustmentsQuery),
    responses(
        (status = OK, body = QuotaAdjustmentsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_quota_adjustments(
    State(service): State<Arc<QuotaService>>,
    _: By,
    Parameters(parameters): Parameters<QuotaAdjustmentsQuery>,
) -> Result<Json<QuotaAdjustmentsPage>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let at = query::instant("at", parameters.at.as_deref())?;
    let after = parameters.cursor.map(QuotaAdjustmentId::new);
    let with_ended = parameters.ended.unwrap_or_default();
    let (all, next) = service.adjustments((with_ended, at), after, limit).await?;
    let items = all.iter().map(QuotaAdjustmentDocument::new).collect();
    Ok(Json(QuotaAdjustmentsPage { items, next_cursor: next.map(QuotaAdjustmentId::as_uuid) }))
}
