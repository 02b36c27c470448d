//! `PATCH /api/v1/outages/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::OutageId;
use planner::json::Reader;
use planner::json::reader::Object;
use planner::node::Nodes;
use planner::rights::Action;
use serde_json::value::RawValue;
use storage::FieldChange;

use super::create::{reason, some_nodes};
use super::document::{OutageDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::http::v1::schema::OutagePatchRequest;
use crate::service::cluster::{ClusterService, OutagePatch};
use crate::service::shared::blocking;

/// Changes an outage in one step
///
/// For operators, and whom a rule of the site lets declare and end outages of these nodes. The body is a merge patch (RFC
/// 7396): what it leaves out stays. Nodes that stay out of service are out all along, those that are not named any
/// more may be taken from now on, and reservations that are newly hit are dealt with as when an outage is announced. The start
/// may change until the outage has begun.
#[utoipa::path(
    patch,
    path = "/api/v1/outages/{id}",
    tag = "cluster",
    params(("id" = uuid::Uuid, Path)),
    request_body = OutagePatchRequest,
    responses(
        (status = OK, body = OutageDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "The resource manager tells of it, it has ended, or it has begun and would get another start; or the nodes were replaced meanwhile"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn change_outage(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    IdInPath(id): IdInPath<OutageId>,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<OutageDocument>), Problem> {
    let patch = body.read(|reader, raw| outage_patch(reader, raw, &by.state.cluster.nodes))?;
    if let Some(nodes) = by.state.nodes_of_outage(id) {
        by.check_nodes_for(Action::OutageEnd, &nodes)?;
        by.check_nodes(patch.nodes.as_ref().unwrap_or(&nodes))?;
    }
    let changed = cluster.change_outage(&by.state, id, patch).await?;
    let note = AuditNote::of_change(Some(audited(&changed.before)), Some(audited(&changed.after)));
    let document = blocking(move || OutageDocument::new(&changed.after, &changed.state));
    Ok((Extension(note), Json(document.await?)))
}

fn outage_patch(reader: &mut Reader, raw: &RawValue, nodes: &Nodes) -> Option<OutagePatch> {
    let known = ["nodes", "node_ranges", "start", "end", "reason"];
    let object = reader.object(raw, &known)?;
    let start = changed(reader, &object, "start", Reader::timestamp);
    let end = changed(reader, &object, "end", Reader::timestamp);
    let reason = changed(reader, &object, "reason", reason);
    if let (Some(FieldChange::To(start)), Some(FieldChange::To(end))) = (&start, &end)
        && end <= start
    {
        reader.error_at("end", "must be after start");
    }
    let is_named = ["nodes", "node_ranges"].iter().any(|key| object.non_null(key).is_some());
    let nodes = if is_named { Some(some_nodes(reader, &object, nodes)?) } else { None };
    Some(OutagePatch { nodes, start: start?, end: end?, reason: reason? })
}

/// What becomes of a member: nothing where it is not there.
fn changed<T>(
    reader: &mut Reader,
    object: &Object<'_>,
    key: &'static str,
    part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
) -> Option<FieldChange<T>> {
    if object.get(key).is_none() {
        return Some(FieldChange::Kept);
    }
    let value = reader.optional(object, key, part)?;
    Some(value.map_or(FieldChange::LeftOut, FieldChange::To))
}
