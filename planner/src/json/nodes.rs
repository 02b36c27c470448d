//! The `nodes` of a problem: a list, classes of like nodes, or the name of a file.

use serde_json::value::RawValue;

use super::reader::{Object, Reader};
use super::request::names;
use crate::labels::{Labels, NodeLabels};
use crate::node::{MAX_NODES, Node, Nodes};

/// Nodes as a document gives them.
#[derive(Debug)]
pub enum NodesDocument {
    /// In the document itself.
    Inline(Nodes),
    /// In a table whose path is relative to the document.
    File(String),
}

/// Reads `[{"name", ...}]`, `{"classes": [...]}` or `{"file": "..."}`.
pub fn nodes(reader: &mut Reader, raw: &RawValue) -> Option<NodesDocument> {
    if raw.get().starts_with('[') {
        return listed(reader, raw).map(NodesDocument::Inline);
    }
    let object = reader.object(raw, &["classes", "file"])?;
    match (object.get("classes"), object.get("file")) {
        (Some(_), None) => reader.required(&object, "classes", classes).map(NodesDocument::Inline),
        (None, Some(_)) => {
            reader.required(&object, "file", Reader::string).map(NodesDocument::File)
        }
        _ => {
            reader.error("must be a list of nodes, {\"classes\": [...]} or {\"file\": \"...\"}");
            None
        }
    }
}

/// Reads nodes that stand in the document itself.
pub fn inline(reader: &mut Reader, raw: &RawValue) -> Option<Nodes> {
    match nodes(reader, raw)? {
        NodesDocument::Inline(nodes) => Some(nodes),
        NodesDocument::File(_) => {
            reader.error_at("file", "is not accepted here; send the nodes themselves");
            None
        }
    }
}

fn listed(reader: &mut Reader, raw: &RawValue) -> Option<Nodes> {
    let nodes = reader.array(raw, |reader, raw| {
        let fields = ["name", "idle_power_w", "max_power_w", "alpha", "partitions", "features"];
        let object = reader.object(raw, &fields)?;
        let name = reader.required(&object, "name", Reader::name);
        let node = node(reader, &object);
        let labels = labels(reader, &object);
        Some(((name?, node?), labels?))
    })?;
    let (nodes, labels): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
    let nodes = reader.accept(Nodes::listed(nodes))?;
    Some(nodes.with_labels(Labels::new(labels)))
}

fn classes(reader: &mut Reader, raw: &RawValue) -> Option<Nodes> {
    let mut total = 0_u32;
    let classes = reader.array(raw, |reader, raw| {
        let fields = ["count", "idle_power_w", "max_power_w", "alpha", "partitions", "features"];
        let object = reader.object(raw, &fields)?;
        let count = reader.required(&object, "count", Reader::whole_number);
        let node = node(reader, &object);
        let labels = labels(reader, &object);
        let limit = i64::from(MAX_NODES - total);
        let count = count?;
        let Some(count) = u32::try_from(count).ok().filter(|_| (1..=limit).contains(&count)) else {
            reader.error_at("count", format!("must be at least 1, and all at most {MAX_NODES}"));
            return None;
        };
        total += count;
        Some((count, node?, labels?))
    })?;
    let nodes = classes.iter().flat_map(|(count, node, _)| (0..*count).map(move |_| *node));
    let nodes = reader.accept(Nodes::numbered(nodes.collect()))?;
    if classes.iter().all(|(.., labels)| *labels == NodeLabels::default()) {
        return Some(nodes);
    }
    let labels = classes.iter().flat_map(|(count, _, labels)| (0..*count).map(|_| labels.clone()));
    Some(nodes.with_labels(Labels::new(labels)))
}

fn node(reader: &mut Reader, object: &Object<'_>) -> Option<Node> {
    let idle = reader.required(object, "idle_power_w", Reader::power);
    let max = reader.required(object, "max_power_w", Reader::power);
    let alpha = reader.optional(object, "alpha", Reader::fraction);
    reader.accept(Node::new(idle?, max?, alpha?))
}

fn labels(reader: &mut Reader, object: &Object<'_>) -> Option<NodeLabels> {
    let partitions = reader.optional(object, "partitions", names);
    let features = reader.optional(object, "features", names);
    Some(NodeLabels {
        partitions: partitions?.unwrap_or_default(),
        features: features?.unwrap_or_default(),
    })
}
