//! The problem file.

use std::sync::Arc;

use super::nodes::{NodesDocument, nodes};
use super::reader::{JsonError, Reader, read};
use super::{agendas, request, reservations};
use crate::node::Nodes;
use crate::problem::PlanningProblem;
use crate::quantity::Currency;

const FIELDS: [&str; 7] =
    ["now", "search", "currency", "nodes", "agendas", "reservations", "request"];

/// Reads a problem; `load_nodes` turns a path relative to the document into nodes, or says in words
/// why it cannot.
///
/// # Errors
/// Every error in the document, each with its place.
pub fn problem(
    text: &str,
    load_nodes: impl FnOnce(&str) -> Result<Nodes, Vec<String>>,
) -> Result<PlanningProblem, Vec<JsonError>> {
    read(text, |reader, raw| {
        let object = reader.object(raw, &FIELDS)?;
        let now = reader.required(&object, "now", Reader::timestamp);
        let search = reader.required(&object, "search", request::search);
        let currency = reader.required(&object, "currency", |reader, raw| {
            let code = reader.string(raw)?;
            reader.accept(Currency::parse(&code))
        });
        let nodes = reader.required(&object, "nodes", nodes);
        let nodes = nodes.and_then(|nodes| loaded(reader, nodes, load_nodes));
        let agendas = reader.required(&object, "agendas", agendas::agendas);
        let reservations = match &nodes {
            Some(nodes) => reader.optional(&object, "reservations", |reader, raw| {
                reservations::reservations(reader, raw, nodes)
            }),
            None => Some(None),
        };
        // Without a `now` the request's other rules can still be checked.
        let at = now.unwrap_or(crate::time::Timestamp::MIN);
        let request = reader.required(&object, "request", |reader, raw| {
            let request = request::request(reader, raw, at)?;
            if let (Some(now), Some(search)) = (now, search) {
                request::check_candidates(reader, search, &request, now);
            }
            Some(request)
        });
        Some(PlanningProblem {
            now: now?,
            search: search?,
            currency: currency?,
            nodes: Arc::new(nodes?),
            agendas: agendas?,
            reservations: reservations?.unwrap_or_default(),
            request: request?,
        })
    })
}

fn loaded(
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
