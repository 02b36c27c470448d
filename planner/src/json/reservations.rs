//! The `reservations` and `outages` of a problem: nodes by name or by ordinal ranges.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::reader::{Object, Reader};
use crate::book::{BookedSpan, Outage};
use crate::node::{NameIndex, Nodes};
use crate::node_set::NodeSet;
use crate::time::{Span, Timestamp};

/// Reads `[{"id", "start", "end", "nodes": [...]}]` or, instead of `nodes`, `node_ranges`. Where the
/// nodes themselves are wrong, everything but the reservations' nodes is checked.
pub fn reservations(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
) -> Option<Vec<BookedSpan>> {
    let mut names = Names { nodes, index: None };
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &["id", "start", "end", "nodes", "node_ranges"])?;
        let id = reader.required(&object, "id", Reader::name);
        let span = reader.span(&object);
        let taken = names.read(reader, &object);
        Some(BookedSpan { id: Arc::from(id?), span: span?, nodes: taken? })
    })
}

/// Reads `[{"start", "end", "nodes": [...]}]` or, instead of `nodes`, `node_ranges`; without a start
/// or an end the outage has none.
pub fn outages(reader: &mut Reader, raw: &RawValue, nodes: Option<&Nodes>) -> Option<Vec<Outage>> {
    let mut names = Names { nodes, index: None };
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &["start", "end", "nodes", "node_ranges"])?;
        let start = reader.optional(&object, "start", Reader::timestamp);
        let end = reader.optional(&object, "end", Reader::timestamp);
        let taken = names.read(reader, &object);
        let start = start?.unwrap_or(Timestamp::MIN);
        let Some(span) = Span::new(start, end?.unwrap_or(Timestamp::MAX)) else {
            reader.error_at("end", "must be after start");
            return None;
        };
        Some(Outage { span, nodes: taken? })
    })
}

/// Reads the nodes of an object that gives them as `nodes` or as `node_ranges`.
pub fn node_set(reader: &mut Reader, object: &Object<'_>, nodes: &Nodes) -> Option<NodeSet> {
    Names { nodes: Some(nodes), index: None }.read(reader, object)
}

/// Nodes that entries name, with an index made when first needed.
struct Names<'a> {
    nodes: Option<&'a Nodes>,
    index: Option<NameIndex<'a>>,
}

impl Names<'_> {
    fn read(&mut self, reader: &mut Reader, object: &Object<'_>) -> Option<NodeSet> {
        match (object.non_null("nodes"), object.non_null("node_ranges")) {
            (Some(_), None) => {
                if self.index.is_none() {
                    self.index = self.nodes.map(Nodes::index);
                }
                named(reader, object, self.index.as_ref())
            }
            (None, Some(_)) => ranged(reader, object, self.nodes.map(Nodes::count)),
            _ => {
                reader.error("must have either nodes or node_ranges");
                None
            }
        }
    }
}

fn named(
    reader: &mut Reader,
    object: &Object<'_>,
    index: Option<&NameIndex<'_>>,
) -> Option<NodeSet> {
    let ordinals = reader.required(object, "nodes", |reader, raw| {
        reader.array(raw, |reader, raw| {
            let name = reader.string(raw)?;
            let ordinal = index?.ordinal(&name);
            reader.accept(ordinal.ok_or_else(|| format!("no node is named {name:?}")))
        })
    })?;
    Some(NodeSet::from_positions(ordinals))
}

fn ranged(reader: &mut Reader, object: &Object<'_>, count: Option<u32>) -> Option<NodeSet> {
    let ranges = reader.required(object, "node_ranges", |reader, raw| {
        reader.array(raw, |reader, raw| {
            let pair = reader.array(raw, Reader::whole_number)?;
            let count = count?;
            match pair.as_slice() {
                &[first, last] if 0 <= first && first <= last && last < i64::from(count) => {
                    // Both lie below the number of nodes.
                    Some(u32::try_from(first).ok()?..u32::try_from(last).ok()? + 1)
                }
                _ => {
                    reader.error(format!(
                        "must be a pair [first, last] of ordinals below {count}, first <= last"
                    ));
                    None
                }
            }
        })
    })?;
    Some(NodeSet::from_ranges(ranges))
}
