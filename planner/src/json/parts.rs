//! Parts that problems of planning and of power actions share.

use serde_json::value::RawValue;

use super::nodes::NodesDocument;
use super::reader::Reader;
use crate::cap_scope::CapScope;
use crate::node::Nodes;
use crate::quantity::Currency;

/// Reads the currency of prices, by its code.
pub(super) fn currency(reader: &mut Reader, raw: &RawValue) -> Option<Currency> {
    let code = reader.string(raw)?;
    reader.accept(Currency::parse(&code))
}

/// Reads what the power cap limits.
pub(super) fn cap_scope(reader: &mut Reader, raw: &RawValue) -> Option<CapScope> {
    let word = reader.string(raw)?;
    let scope = CapScope::parse(&word);
    if scope.is_none() {
        reader.error("must be \"reserved_nodes\" or \"all_nodes\"");
    }
    scope
}

/// Nodes that stand in the document, or in the file that it names.
pub(super) fn loaded(
    reader: &mut Reader,
    nodes: NodesDocument,
    load_nodes: impl FnOnce(&str) -> Result<Nodes, Vec<String>>,
) -> Option<Nodes> {
    match nodes {
        NodesDocument::Inline(nodes) => Some(nodes),
        NodesDocument::File(path) => match load_nodes(&path) {
            Ok(nodes) => Some(nodes),
            Err(errors) => {
                for error in errors {
                    reader.error_at("nodes", format!("{path}: {error}"));
                }
                None
            }
        },
    }
}
