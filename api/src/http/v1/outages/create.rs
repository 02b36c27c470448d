//! `POST /api/v1/outages`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use planner::json::Reader;
use planner::json::reader::Object;
use planner::json::reservations::node_set;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use serde_json::value::RawValue;

use super::document::{OutageDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::schema::OutageRequest;
use crate::service::cluster::{ClusterService, NewOutage};
use crate::service::shared::blocking;

/// The longest reason, in characters.
const MAX_REASON: usize = 1000;

/// Takes nodes out of service for a time
///
/// For operators, and whom a rule of the site lets do so, in the partitions that it says. Plans avoid the nodes from the next one on. The answer lists the reservations that
/// hold some of them. Within seconds each gets other nodes for the same start and length where that
/// is possible; else it is flagged `degraded`, and new starts are held for its owner.
#[utoipa::path(
    post,
    path = "/api/v1/outages",
    tag = "cluster",
    request_body = OutageRequest,
    responses(
        (status = CREATED, body = OutageDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "The nodes were replaced meanwhile"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_outage(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    body: JsonBody,
) -> Result<(StatusCode, Extension<AuditNote>, Json<OutageDocument>), Problem> {
    let new = body.read(|reader, raw| outage(reader, raw, &by.state.cluster.nodes))?;
    by.check_nodes(&new.nodes)?;
    let made = cluster.create_outage(&by.caller.owner, &by.state, new).await?;
    let after = made.list.first().map(audited);
    let documents =
        blocking(move || made.list.iter().map(|it| OutageDocument::new(it, &made.state)).next());
    let document = documents.await?.ok_or_else(|| Problem::not_found("outage"))?;
    let note = AuditNote::of_change(None, after);
    Ok((StatusCode::CREATED, Extension(note), Json(document)))
}

fn outage(reader: &mut Reader, raw: &RawValue, nodes: &Nodes) -> Option<NewOutage> {
    let known = ["nodes", "node_ranges", "start", "end", "reason"];
    let object = reader.object(raw, &known)?;
    let start = reader.optional(&object, "start", Reader::timestamp);
    let end = reader.optional(&object, "end", Reader::timestamp);
    let reason = reader.optional(&object, "reason", reason);
    if let (Some(Some(start)), Some(Some(end))) = (start, end)
        && end <= start
    {
        reader.error_at("end", "must be after start");
    }
    let named = some_nodes(reader, &object, nodes);
    Some(NewOutage { nodes: named?, start: start?, end: end?, reason: reason?.unwrap_or_default() })
}

/// The nodes that are named, at least one.
pub(super) fn some_nodes(
    reader: &mut Reader,
    object: &Object<'_>,
    nodes: &Nodes,
) -> Option<NodeSet> {
    let named = node_set(reader, object, nodes)?;
    if named.is_empty() {
        reader.error("must name at least one node");
        return None;
    }
    Some(named)
}

/// Why, in words.
pub(super) fn reason(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    if text.chars().count() > MAX_REASON {
        reader.error(format!("must have at most {MAX_REASON} characters"));
        return None;
    }
    Some(text)
}
