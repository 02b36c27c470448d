//! The problem file.

use std::sync::Arc;

use super::nodes::{NodesDocument, nodes};
use super::reader::{JsonError, Reader, read};
use super::{agendas, request, reservations};
use crate::cap_scope::CapScope;
use crate::node::Nodes;
use crate::problem::PlanningProblem;
use crate::quantity::Currency;

const FIELDS: [&str; 9] = [
    "now",
    "search",
    "currency",
    "nodes",
    "agendas",
    "power_cap_scope",
    "reservations",
    "outages",
    "request",
];

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
        let currency = reader.required(&object, "currency", currency);
        let nodes = reader.required(&object, "nodes", nodes);
        let nodes = nodes.and_then(|nodes| loaded(reader, nodes, load_nodes));
        let agendas = reader.required(&object, "agendas", agendas::agendas);
        let reservations = reader.optional(&object, "reservations", |reader, raw| {
            reservations::reservations(reader, raw, nodes.as_ref())
        });
        let outages = reader.optional(&object, "outages", |reader, raw| {
            reservations::outages(reader, raw, nodes.as_ref())
        });
        let cap_scope = reader.optional(&object, "power_cap_scope", cap_scope);
        // Without a `now` the request's other rules can still be checked.
        let at = now.unwrap_or(crate::time::Timestamp::MIN);
        let request = reader.required(&object, "request", |reader, raw| {
            let request = request::request(reader, raw, at)?;
            if let (Some(now), Some(search)) = (now, search) {
                request::check_candidates(reader, search, &request, now);
            }
            if let Some(nodes) = &nodes {
                request::check_filter(reader, &request.filter, nodes);
            }
            Some(request)
        });
        Some(PlanningProblem {
            now: now?,
            search: search?,
            currency: currency?,
            nodes: Arc::new(nodes?),
            agendas: agendas?,
            cap_scope: cap_scope?.unwrap_or_default(),
            outages: outages?.unwrap_or_default(),
            reservations: reservations?.unwrap_or_default(),
            request: request?,
        })
    })
}

pub(super) fn currency(reader: &mut Reader, raw: &serde_json::value::RawValue) -> Option<Currency> {
    let code = reader.string(raw)?;
    reader.accept(Currency::parse(&code))
}

pub(super) fn cap_scope(
    reader: &mut Reader,
    raw: &serde_json::value::RawValue,
) -> Option<CapScope> {
    let word = reader.string(raw)?;
    let scope = CapScope::parse(&word);
    if scope.is_none() {
        reader.error("must be \"reserved_nodes\" or \"all_nodes\"");
    }
    scope
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let read = problem(text, |_| Err(vec!["cannot be read".to_owned()]));
        read.err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    /// What is wrong with the nodes hides nothing that is wrong elsewhere.
    #[test]
    fn every_part_is_checked_whatever_is_wrong_with_the_others() {
        let text = r#"{
            "now": "2026-01-01T00:00:00Z", "search": {"mode": "slots"}, "currency": "eur",
            "nodes": [{"name": "n1", "idle_power_w": 5, "max_power_w": 1}],
            "agendas": {"price": [], "co2": 1},
            "reservations": [{"id": "r", "start": "2026-01-01T00:00:00Z", "end": "x", "nodes": ["n9"]}],
            "request": {"nodes": 10000000000000, "duration_s": 0, "earliest_start": "2025-01-02T00:00:00Z",
                        "latest_start": "2025-01-01T00:00:00Z"}
        }"#;
        let places: Vec<String> =
            errors(text).iter().map(|error| error.split(':').next().unwrap().to_owned()).collect();
        let expected = [
            "/currency",
            "/nodes/0",
            "/agendas/co2",
            "/reservations/0/end",
            "/request/duration_s",
            "/request/latest_start",
            "/request/latest_start",
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn an_object_with_too_many_members_is_refused_at_once() {
        let members: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\": 0")).collect();
        let text = format!("{{{}}}", members.join(","));
        assert_eq!(errors(&text).len(), 1);
    }
}
