//! A document as it is written down: nothing is lost, and like nodes that follow each other are
//! one class.

use std::borrow::Cow;
use std::collections::BTreeMap;

use planner::agenda::{Agenda, Agendas, Piece};
use planner::decimal::{Fraction, format_millionths};
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::json::request;
use planner::node::{Node, Nodes};
use planner::quantity::{Power, Rate};
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use simulator::policy::Policy;

use super::document::{Document, Origin};

#[derive(Serialize)]
struct Kept<'a> {
    name: &'a str,
    policies: &'a [Policy],
    parameters: &'a Map<String, Value>,
    files: &'a Map<String, Value>,
    vary: &'a Map<String, Value>,
    tables: &'a BTreeMap<String, String>,
    nodes: Option<KeptNodes<'a>>,
    agendas: Option<KeptAgendas>,
    requests: Option<Vec<Map<String, Value>>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum KeptNodes<'a> {
    /// Where nobody asks for names or labels.
    Classes {
        classes: Vec<Class>,
    },
    Listed(Vec<KeptNode<'a>>),
}

#[derive(Serialize)]
struct Class {
    count: usize,
    #[serde(flatten)]
    powers: Powers,
}

#[derive(Serialize)]
struct KeptNode<'a> {
    name: Cow<'a, str>,
    #[serde(flatten)]
    powers: Powers,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    partitions: &'a [Box<str>],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    features: &'a [Box<str>],
}

#[derive(Serialize)]
struct Powers {
    idle_power_w: Box<RawValue>,
    max_power_w: Box<RawValue>,
    alpha: Option<f64>,
}

#[derive(Serialize)]
struct KeptAgendas {
    price: Vec<PricePiece>,
    co2: Vec<IntensityPiece>,
    power_cap: Option<Vec<CapPiece>>,
}

#[derive(Serialize)]
struct PricePiece {
    start: Timestamp,
    end: Timestamp,
    price_per_mwh: Box<RawValue>,
}

#[derive(Serialize)]
struct IntensityPiece {
    start: Timestamp,
    end: Timestamp,
    intensity_g_per_kwh: Box<RawValue>,
}

#[derive(Serialize)]
struct CapPiece {
    start: Timestamp,
    end: Timestamp,
    cap_w: Box<RawValue>,
}

/// What is shown of a document: its tables by their names, other inputs by where they come from.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    policies: &'a [Policy],
    parameters: &'a Map<String, Value>,
    files: &'a Map<String, Value>,
    vary: &'a Map<String, Value>,
    nodes: Option<&'static str>,
    agendas: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    co2_accounting: Option<&'a Co2AccountingDocument>,
    requests: Option<&'static str>,
    tables: Vec<&'a str>,
}

impl Document {
    /// All of it, as [`Document::read`] reads it. What comes from a site must have been put in. Names
    /// and labels of nodes are kept where they are `named`, by any request.
    ///
    /// # Errors
    /// None that a document has.
    pub fn kept(&self, named: bool) -> serde_json::Result<String> {
        let experiment = &self.experiment;
        let requests = self.requests.as_ref().map(|all| {
            let request = |it| request::document(it, |field| field == "latest_start");
            all.iter().map(request).collect()
        });
        serde_json::to_string(&Kept {
            name: &experiment.name,
            policies: &experiment.policies,
            parameters: &experiment.parameters,
            files: &experiment.files,
            vary: &experiment.vary,
            tables: &self.tables,
            nodes: match &self.nodes {
                Origin::Given(nodes) if named => Some(listed(nodes)?),
                Origin::Given(nodes) => Some(classes(nodes)?),
                _ => None,
            },
            agendas: match &self.agendas {
                Origin::Given(given) => Some(agendas(given)?),
                _ => None,
            },
            requests,
        })
    }

    /// What answers show of it.
    ///
    /// # Errors
    /// None that a document has.
    pub fn shown(&self) -> serde_json::Result<String> {
        let experiment = &self.experiment;
        serde_json::to_string(&Shown {
            name: &experiment.name,
            policies: &experiment.policies,
            parameters: &experiment.parameters,
            files: &experiment.files,
            vary: &experiment.vary,
            nodes: self.nodes.word(),
            agendas: self.agendas.word(),
            co2_accounting: self.co2_accounting.as_ref(),
            requests: self.requests.as_ref().map(|_| "given"),
            tables: self.tables.keys().map(String::as_str).collect(),
        })
    }
}

/// Exact, where a double would round.
fn decimal(millionths: i64) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(format_millionths(millionths))
}

fn powers(node: &Node) -> serde_json::Result<Powers> {
    Ok(Powers {
        idle_power_w: decimal(node.idle().as_microwatts())?,
        max_power_w: decimal(node.max().as_microwatts())?,
        alpha: node.alpha().map(Fraction::as_f64),
    })
}

fn classes(nodes: &Nodes) -> serde_json::Result<KeptNodes<'_>> {
    let class = |like: &[Node]| Ok(Class { count: like.len(), powers: powers(&like[0])? });
    let classes = nodes.as_slice().chunk_by(|a, b| a == b).map(class);
    Ok(KeptNodes::Classes { classes: classes.collect::<Result<_, _>>()? })
}

fn listed(nodes: &Nodes) -> serde_json::Result<KeptNodes<'_>> {
    let none: &[Box<str>] = &[];
    let listed = (0..).zip(nodes.as_slice()).map(|(ordinal, node)| {
        let labels = nodes.labels().of(ordinal);
        Ok(KeptNode {
            name: nodes.name(ordinal),
            powers: powers(node)?,
            partitions: labels.map_or(none, |labels| &labels.partitions),
            features: labels.map_or(none, |labels| &labels.features),
        })
    });
    Ok(KeptNodes::Listed(listed.collect::<Result<_, _>>()?))
}

fn agendas(given: &Agendas) -> serde_json::Result<KeptAgendas> {
    Ok(KeptAgendas {
        price: pieces(given.price.agenda(), |piece| {
            let (start, end) = (piece.span.start(), piece.span.end());
            Ok(PricePiece { start, end, price_per_mwh: decimal(piece.value.as_millionths())? })
        })?,
        co2: pieces(given.co2.agenda(), |piece| {
            let (start, end) = (piece.span.start(), piece.span.end());
            let intensity_g_per_kwh = decimal(piece.value.as_millionths())?;
            Ok(IntensityPiece { start, end, intensity_g_per_kwh })
        })?,
        power_cap: given
            .power_cap
            .as_ref()
            .map(|cap: &Agenda<Power>| {
                pieces(cap, |piece| {
                    let (start, end) = (piece.span.start(), piece.span.end());
                    Ok(CapPiece { start, end, cap_w: decimal(piece.value.as_microwatts())? })
                })
            })
            .transpose()?,
    })
}

fn pieces<V: Copy, T>(
    agenda: &Agenda<V>,
    of: impl Fn(&Piece<V>) -> serde_json::Result<T>,
) -> serde_json::Result<Vec<T>> {
    agenda.pieces().iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_read() {
        let text = r#"{
            "name": "month", "policies": ["cost_co2_energy~2.5", "mixed"],
            "parameters": {"runs": 3, "mix": {"knee": 2}}, "files": {"currency": "GBP", "price_file": "p"},
            "vary": {"max_delay_h": [1, 2.5]}, "tables": {"p": "start,end,price_per_mwh\n"},
            "nodes": [{"name": "a", "idle_power_w": 1, "max_power_w": 2.000001, "alpha": 0.75},
                      {"name": "b", "idle_power_w": 1, "max_power_w": 2.000001, "alpha": 0.75,
                       "partitions": ["gpu"], "features": ["nvme", "ib"]},
                      {"name": "c", "idle_power_w": 0, "max_power_w": 12345678901.234567}],
            "agendas": {"price": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z", "price_per_mwh": -3.25}],
                        "co2": [], "power_cap": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z", "cap_w": 7}]},
            "requests": [{"nodes": 2, "duration_s": "PT1H", "earliest_start": "2026-01-01T00:00:00Z",
                          "latest_start": "2026-01-01T04:00:00Z", "utilisation": 0.1},
                         {"alternatives": [{"nodes": 1, "duration_s": 60}, {"nodes": 2, "duration_s": 30}],
                          "earliest_start": "2026-01-01T00:00:00Z", "latest_end": "2026-01-01T04:00:00Z",
                          "tolerance": {"cost": 0.02, "energy": 0.3}, "partition": "gpu",
                          "features": ["nvme"], "exclude": ["a"]}]
        }"#;
        let read = Document::read(text).unwrap();
        let kept = read.kept(false).unwrap();
        assert_eq!(kept.matches("idle_power_w").count(), 2, "like nodes are one class: {kept}");
        let (Origin::Given(in_classes), Origin::Given(nodes)) =
            (Document::read(&kept).unwrap().nodes, &read.nodes)
        else {
            panic!("nodes are given")
        };
        assert_eq!(in_classes.as_slice(), nodes.as_slice());
        let again = Document::read(&read.kept(true).unwrap()).unwrap();
        assert_eq!(again.experiment, read.experiment);
        assert_eq!((&again.nodes, &again.agendas), (&read.nodes, &read.agendas));
        assert_eq!((&again.requests, &again.tables), (&read.requests, &read.tables));
        let shown: Value = serde_json::from_str(&read.shown().unwrap()).unwrap();
        assert_eq!(shown["tables"], serde_json::json!(["p"]));
        assert_eq!((&shown["nodes"], &shown["requests"]), (&"given".into(), &"given".into()));
    }
}
