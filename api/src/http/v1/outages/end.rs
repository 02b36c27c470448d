//! `DELETE /api/v1/outages/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::OutageId;

use super::document::{OutageDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::cluster::ClusterService;

/// Ends an outage: its nodes may be taken from now on
///
/// For operators, and whom a rule of the site lets do so, in the partitions that it says. One that has yet to start is taken back; one that has ended stays as it is. Those that
/// the resource manager tells of are ended there.
#[utoipa::path(
    delete,
    path = "/api/v1/outages/{id}",
    tag = "cluster",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = OutageDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "The resource manager tells of it"),
    ),
)]
pub async fn end_outage(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    IdInPath(id): IdInPath<OutageId>,
) -> Result<(Extension<AuditNote>, Json<OutageDocument>), Problem> {
    if let Some(nodes) = by.state.nodes_of_outage(id) {
        by.check_nodes(&nodes)?;
    }
    let ended = cluster.end_outage(id).await?;
    let outage = ended.list.first().ok_or_else(|| Problem::not_found("outage"))?;
    let note = AuditNote::of_change(by.state.outage(id).map(audited), Some(audited(outage)));
    Ok((Extension(note), Json(OutageDocument::new(outage, &ended.state))))
}
