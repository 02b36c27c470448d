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

/// What is read of each node beside its powers and labels: the names of the fields, and how they are read.
pub struct NodeFields<'a, T> {
    /// The names of the fields.
    pub names: &'a [&'static str],
    /// Reads them from the object of a node or of a class.
    pub part: &'a dyn Fn(&mut Reader, &Object<'_>) -> Option<T>,
}

/// Reads `[{"name", ...}]`, `{"classes": [...]}` or `{"file": "..."}`.
pub fn nodes(reader: &mut Reader, raw: &RawValue) -> Option<NodesDocument> {
    let none = NodeFields { names: &[], part: &|_, _| Some(()) };
    nodes_with(reader, raw, &none).map(|(nodes, _)| nodes)
}

/// Reads nodes as [`nodes`] does, with further fields of each in the order of the nodes. A file has none of them.
pub fn nodes_with<T: Clone>(
    reader: &mut Reader,
    raw: &RawValue,
    fields: &NodeFields<'_, T>,
) -> Option<(NodesDocument, Vec<T>)> {
    let inline = |(nodes, more)| (NodesDocument::Inline(nodes), more);
    if raw.get().starts_with('[') {
        return listed(reader, raw, fields).map(inline);
    }
    let object = reader.object(raw, &["classes", "file"])?;
    match (object.get("classes"), object.get("file")) {
        (Some(_), None) => {
            let classes = |reader: &mut Reader, raw: &RawValue| classes(reader, raw, fields);
            reader.required(&object, "classes", classes).map(inline)
        }
        (None, Some(_)) => {
            let file = reader.required(&object, "file", Reader::string)?;
            Some((NodesDocument::File(file), Vec::new()))
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

fn listed<T>(
    reader: &mut Reader,
    raw: &RawValue,
    more: &NodeFields<'_, T>,
) -> Option<(Nodes, Vec<T>)> {
    let fields = ["name", "idle_power_w", "max_power_w", "alpha", "partitions", "features"];
    let fields = [&fields, more.names].concat();
    let nodes = reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let name = reader.required(&object, "name", Reader::name);
        let node = node(reader, &object);
        let labels = labels(reader, &object);
        let more = (more.part)(reader, &object);
        Some(((name?, node?), (labels?, more?)))
    })?;
    let (nodes, others): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
    let (labels, more): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    let nodes = reader.accept(Nodes::listed(nodes))?;
    Some((nodes.with_labels(Labels::new(labels)), more))
}

fn classes<T: Clone>(
    reader: &mut Reader,
    raw: &RawValue,
    more: &NodeFields<'_, T>,
) -> Option<(Nodes, Vec<T>)> {
    let fields = ["count", "idle_power_w", "max_power_w", "alpha", "partitions", "features"];
    let fields = [&fields, more.names].concat();
    let mut total = 0_u32;
    let classes = reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let count = reader.required(&object, "count", Reader::whole_number);
        let node = node(reader, &object);
        let labels = labels(reader, &object);
        let more = (more.part)(reader, &object);
        let limit = i64::from(MAX_NODES - total);
        let count = count?;
        let Some(count) = u32::try_from(count).ok().filter(|_| (1..=limit).contains(&count)) else {
            reader.error_at("count", format!("must be at least 1, and all at most {MAX_NODES}"));
            return None;
        };
        total += count;
        Some((count, node?, labels?, more?))
    })?;
    let nodes = classes.iter().flat_map(|(count, node, ..)| (0..*count).map(move |_| *node));
    let nodes = reader.accept(Nodes::numbered(nodes.collect()))?;
    let more = classes.iter().flat_map(|(count, .., more)| (0..*count).map(|_| more.clone()));
    let more = more.collect();
    if classes.iter().all(|(_, _, labels, _)| *labels == NodeLabels::default()) {
        return Some((nodes, more));
    }
    let labels =
        classes.iter().flat_map(|(count, _, labels, _)| (0..*count).map(|_| labels.clone()));
    Some((nodes.with_labels(Labels::new(labels)), more))
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
