//! `POST /api/v1/outages`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use planner::json::Reader;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use serde_json::value::RawValue;

use super::document::OutageDocument;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::caller::{By, Operators};
use crate::http::problem::Problem;
use crate::http::v1::schema::OutageRequest;
use crate::service::{NewOutage, blocking};

/// The longest reason, in characters.
const MAX_REASON: usize = 1000;

/// Takes nodes out of service for a time
///
/// For operators. Plans avoid the nodes from the next one on. Reservations that hold some of them
/// stay; the answer lists them.
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
    State(app): State<App>,
    by: By<Operators>,
    body: JsonBody,
) -> Result<(StatusCode, Json<OutageDocument>), Problem> {
    let new = body.read(|reader, raw| outage(reader, raw, &by.state.cluster.nodes))?;
    let made = app.service.create_outage(&by.caller.owner, &by.state, new).await?;
    let documents =
        blocking(move || made.list.iter().map(|it| OutageDocument::new(it, &made.state)).next());
    let document = documents.await?;
    document.map(|it| (StatusCode::CREATED, Json(it))).ok_or_else(|| Problem::not_found("outage"))
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
    let named = match (object.get("nodes"), object.get("node_ranges")) {
        (Some(_), None) => {
            reader.required(&object, "nodes", |reader, raw| names(reader, raw, nodes))
        }
        (None, Some(_)) => reader.required(&object, "node_ranges", |reader, raw| {
            let ranges = reader.array(raw, |reader, raw| range(reader, raw, nodes.count()))?;
            Some(NodeSet::from_ranges(ranges))
        }),
        _ => {
            reader.error("must have either nodes or node_ranges");
            None
        }
    };
    let set = named.filter(|set| {
        if set.is_empty() {
            reader.error("must name at least one node");
        }
        !set.is_empty()
    });
    Some(NewOutage { nodes: set?, start: start?, end: end?, reason: reason?.unwrap_or_default() })
}

fn names(reader: &mut Reader, raw: &RawValue, nodes: &Nodes) -> Option<NodeSet> {
    let index = nodes.index();
    let ordinals = reader.array(raw, |reader, raw| {
        let name = reader.name(raw)?;
        let ordinal = index.ordinal(&name);
        if ordinal.is_none() {
            reader.error(format!("no node is named {name:?}"));
        }
        ordinal
    })?;
    Some(NodeSet::from_positions(ordinals))
}

/// A first and a last ordinal.
fn range(reader: &mut Reader, raw: &RawValue, count: u32) -> Option<std::ops::Range<u32>> {
    let pair = reader.array(raw, Reader::whole_number)?;
    let ordinals = pair.iter().map(|&ordinal| u32::try_from(ordinal).ok());
    let pair = ordinals.collect::<Option<Vec<u32>>>().unwrap_or_default();
    match pair.as_slice() {
        &[first, last] if first <= last && last < count => Some(first..last + 1),
        _ => {
            reader.error(format!("must be the first and the last of ordinals below {count}"));
            None
        }
    }
}

fn reason(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    if text.chars().count() > MAX_REASON {
        reader.error(format!("must have at most {MAX_REASON} characters"));
        return None;
    }
    Some(text)
}
