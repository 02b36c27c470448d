//! `POST /api/v1/power-actions`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json::Reader;
use planner::json::reader::Object;
use planner::json::reservations::node_set;
use planner::node::Nodes;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use storage::{PowerAction, PowerActionId, PowerHold};

use super::document::PowerActionsDocument;
use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::schema::PowerDecisionRequest;
use crate::service::power_management::{PowerActionList, PowerDecision, PowerManagementService};

/// The longest reason, in characters.
const MAX_BECAUSE: usize = 1000;

/// Approves, refuses, switches off, wakes or holds
///
/// For operators, and for those whom a right of the site names in `decided_by`. A sleep that is refused holds its node until
/// it would have been woken. Nodes that are woken are held for an hour. An `until` that has passed ends a hold. What is ordered already goes on. The answer has the
/// actions and holds that the decision concerns.
#[utoipa::path(
    post,
    path = "/api/v1/power-actions",
    tag = "cluster",
    request_body = PowerDecisionRequest,
    responses(
        (status = OK, body = PowerActionsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "Somebody else decides on the power of these nodes"),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is decided already, or cannot be done now"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn decide_power_actions(
    State(service): State<Arc<PowerManagementService>>,
    State(settings): State<Arc<Settings>>,
    by: By,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<PowerActionsDocument>), Problem> {
    let nodes = &by.state.cluster.nodes;
    let decision = body.read(|reader, raw| decision(reader, raw, nodes))?;
    let before = audited(&service.concerned(&decision).await?);
    let list = service.decide(by.caller.access(), &by.state, decision).await?;
    let note = AuditNote::of_change(Some(before), Some(audited(&list)));
    Ok((Extension(note), Json(PowerActionsDocument::new(list, settings.currency))))
}

/// What is recorded of power actions and holds.
fn audited(list: &PowerActionList) -> Value {
    let action =
        |it: &PowerAction| json!({ "id": it.id.get(), "node": it.node, "state": it.state.word() });
    let hold = |it: &PowerHold| json!({ "node": it.node, "until": it.until.to_string() });
    json!({
        "actions": list.actions.iter().map(action).collect::<Vec<Value>>(),
        "holds": list.holds.iter().map(hold).collect::<Vec<Value>>(),
    })
}

fn decision(reader: &mut Reader, raw: &RawValue, nodes: &Nodes) -> Option<PowerDecision> {
    let known = ["action", "id", "because", "nodes", "node_ranges", "until"];
    let object = reader.object(raw, &known)?;
    let action = reader.required(&object, "action", Reader::string)?;
    let fields: &[&str] = match action.as_str() {
        "approve" => &["id"],
        "refuse" => &["id", "because"],
        "off" | "wake" => &["nodes", "node_ranges"],
        "hold" => &["nodes", "node_ranges", "until"],
        _ => {
            reader.error_at("action", "must be one of approve, refuse, off, wake and hold");
            return None;
        }
    };
    for name in known.iter().filter(|name| **name != "action" && !fields.contains(name)) {
        if object.get(name).is_some() {
            reader.error_at(name, format!("does not go with the action {action}"));
        }
    }
    match action.as_str() {
        "approve" => Some(PowerDecision::Approve(id(reader, &object)?)),
        "refuse" => {
            let because = reader.optional(&object, "because", because);
            Some(PowerDecision::Refuse(id(reader, &object)?, because?))
        }
        "off" => Some(PowerDecision::Off(names(reader, &object, nodes)?)),
        "wake" => Some(PowerDecision::Wake(names(reader, &object, nodes)?)),
        _ => {
            let until = reader.required(&object, "until", Reader::timestamp);
            let names = names(reader, &object, nodes);
            Some(PowerDecision::Hold(names?, until?))
        }
    }
}

fn id(reader: &mut Reader, object: &Object<'_>) -> Option<PowerActionId> {
    reader.required(object, "id", |reader, raw| {
        let id = reader.whole_number(raw)?;
        Some(PowerActionId::from(id))
    })
}

fn because(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    let is_short = text.chars().count() <= MAX_BECAUSE;
    reader.accept(is_short.then_some(text).ok_or("must have at most 1000 characters"))
}

/// The names of the nodes that are meant, at least one.
fn names(reader: &mut Reader, object: &Object<'_>, nodes: &Nodes) -> Option<Vec<String>> {
    let set = node_set(reader, object, nodes)?;
    if set.is_empty() {
        reader.error_at("nodes", "must name at least one node");
        return None;
    }
    Some(set.positions().map(|node| nodes.name(node).into_owned()).collect())
}
