//! The problem file.

use std::sync::Arc;

use super::parts::{cap_scope, currency, loaded};
use super::power_rights::Zones;
use super::reader::{JsonError, Reader, read};
use super::slower_states::{nodes_with_slower_states, slowest_speed};
use super::{agendas, idle_energy, request, reservations};
use crate::node::Nodes;
use crate::problem::PlanningProblem;
use crate::request::Request;
use crate::time::Timestamp;

const FIELDS: [&str; 10] = [
    "now",
    "search",
    "currency",
    "nodes",
    "agendas",
    "power_cap_scope",
    "reservations",
    "outages",
    "idle_energy",
    "request",
];

/// Reads a problem; `load_nodes` turns a path relative to the document into nodes, or says in words
/// why it cannot, and `zones` finds time zones by name.
///
/// # Errors
/// Every error in the document, each with its place.
pub fn problem(
    text: &str,
    load_nodes: impl FnOnce(&str) -> Result<Nodes, Vec<String>>,
    zones: Zones<'_>,
) -> Result<PlanningProblem, Vec<JsonError>> {
    read(text, |reader, raw| {
        let object = reader.object(raw, &FIELDS)?;
        let now = reader.required(&object, "now", Reader::timestamp);
        let search = reader.required(&object, "search", request::search);
        let currency = reader.required(&object, "currency", currency);
        let nodes = reader.required(&object, "nodes", nodes_with_slower_states);
        let nodes = nodes.and_then(|nodes| loaded(reader, nodes, load_nodes));
        let agendas = reader.required(&object, "agendas", agendas::agendas);
        let reservations = reader.optional(&object, "reservations", |reader, raw| {
            reservations::reservations(reader, raw, nodes.as_ref())
        });
        let outages = reader.optional(&object, "outages", |reader, raw| {
            reservations::outages(reader, raw, nodes.as_ref())
        });
        let cap_scope = reader.optional(&object, "power_cap_scope", cap_scope);
        let idle_energy = reader.optional(&object, "idle_energy", |reader, raw| {
            idle_energy::idle_energy(reader, raw, now, nodes.as_ref(), zones)
        });
        // Without a `now` the request's other rules can still be checked.
        let at = now.unwrap_or(Timestamp::MIN);
        let request = reader.required(&object, "request", |reader, raw| {
            let request = slower_request(reader, raw, at)?;
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
            idle_energy: idle_energy?,
            request: request?,
        })
    })
}

/// A request, and the slowest speed that it allows.
fn slower_request(
    reader: &mut Reader,
    raw: &serde_json::value::RawValue,
    now: Timestamp,
) -> Option<Request> {
    let fields = [request::REQUEST_FIELDS.as_slice(), &["slowest_speed"]].concat();
    let object = reader.object(raw, &fields)?;
    let request = request::request_fields(reader, &object, now);
    let slowest_speed = reader.optional(&object, "slowest_speed", slowest_speed);
    Some(Request { slowest_speed: slowest_speed?.unwrap_or_default(), ..request? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let read = problem(text, |_| Err(vec!["cannot be read".to_owned()]), &|_| None);
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
