//! An experiment that carries its inputs with it, as JSON: what the service takes and keeps.
//!
//! The members of an experiment file, and beside them `tables`, the texts of the files that it
//! names, and `nodes`, `agendas` and `requests`, which are as in a problem file. What a table gives
//! goes before these. No path of the machine's is ever followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::agenda::Agendas;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::json::request::simulated_request;
use planner::json::{self, JsonError, Reader};
use planner::node::{NAME_RULE, Nodes, is_name};
use planner::quantity::Currency;
use planner::request::Request;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use simulator::experiment::{Experiment, ExperimentError};
use simulator::policy::Policy;
use simulator::sesames::{GroupRights, Inputs, PriceSeries, Source, WarmGroups};

const FIELDS: [&str; 9] =
    ["name", "policies", "parameters", "files", "vary", "tables", "nodes", "agendas", "requests"];

/// The most nodes that a simulation may have.
pub const MAX_NODES: u32 = 1_000_000;

/// Where an input comes from when no table gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin<T> {
    /// Drawn in each run.
    #[default]
    Drawn,
    /// As the site has it.
    Site,
    /// The document's own.
    Given(T),
}

/// An experiment with its inputs.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What is played.
    pub experiment: Experiment,
    /// The texts of the files that the experiment names.
    pub tables: BTreeMap<String, String>,
    /// The nodes, by index.
    pub nodes: Origin<Arc<Nodes>>,
    /// Price, CO2 and cap; given without a cap there is none.
    pub agendas: Origin<Agendas>,
    /// How the CO2 of the site's agendas is counted, where they are the site's and it is known.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Requests, in the order in which they are placed; drawn where there are none.
    pub requests: Option<Vec<Request>>,
}

impl<T> Origin<T> {
    /// The word in answers; none for what is drawn.
    pub const fn word(&self) -> Option<&'static str> {
        match self {
            Self::Drawn => None,
            Self::Site => Some("site"),
            Self::Given(_) => Some("given"),
        }
    }
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// Every error in it, each with its place.
    pub fn read(text: &str) -> Result<Self, Vec<JsonError>> {
        json::read(text, document)
    }

    /// What cells are played with where no table says; a site's inputs must have been put in
    /// before. Prices are euros unless `currency` among the experiment's files says otherwise.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        if let Origin::Given(nodes) = &self.nodes {
            inputs.nodes = Source::Given(Arc::clone(nodes));
        }
        if let Origin::Given(agendas) = &self.agendas {
            let price = agendas.price.clone();
            inputs.tariff = Source::Given(PriceSeries { currency: Currency::EUR, price });
            inputs.co2 = Source::Given(agendas.co2.clone());
            inputs.power_cap = Source::Given(agendas.power_cap.clone());
        }
        if let Some(requests) = &self.requests {
            inputs.requests = Source::Given(requests.clone());
        }
        inputs
    }

    /// The text of a table.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn table(&self, name: &str) -> Result<String, String> {
        self.tables.get(name).cloned().ok_or_else(|| "it is not among the tables".to_owned())
    }
}

fn document(reader: &mut Reader, raw: &RawValue) -> Option<Document> {
    let object = reader.object(raw, &FIELDS)?;
    let default = Experiment::default();
    let name = reader.optional(&object, "name", Reader::name);
    let policies = reader.optional(&object, "policies", policies);
    let tables = reader
        .optional(&object, "tables", |reader, raw| {
            reader.members(raw, |reader, name, raw| {
                if !is_name(name) {
                    reader.error(format!("is no name: {NAME_RULE}"));
                    return None;
                }
                reader.string(raw)
            })
        })
        .map(|tables| tables.unwrap_or_default().into_iter().collect::<BTreeMap<_, _>>());
    let known = tables.as_ref();
    let parameters =
        reader.optional(&object, "parameters", |reader, raw| reader.members(raw, parameter));
    let files = reader.optional(&object, "files", |reader, raw| {
        reader.members(raw, |reader, name, raw| file(reader, name, raw, known))
    });
    let vary = reader.optional(&object, "vary", |reader, raw| {
        reader.members(raw, |reader, name, raw| {
            let values = reader.array(raw, |reader, raw| varied(reader, name, raw, known))?;
            if values.is_empty() {
                reader.error("must have at least one value");
                return None;
            }
            Some(Value::Array(values))
        })
    });
    let nodes = reader.optional(&object, "nodes", |reader, raw| origin(reader, raw, nodes));
    let agendas = reader
        .optional(&object, "agendas", |reader, raw| origin(reader, raw, json::agendas::agendas));
    let requests = reader.optional(&object, "requests", requests);
    let map = |members: Option<Vec<(String, Value)>>| -> Map<String, Value> {
        members.unwrap_or_default().into_iter().collect()
    };
    Some(Document {
        experiment: Experiment {
            name: name?.map_or(default.name, String::from),
            policies: policies?.unwrap_or(default.policies),
            parameters: map(parameters?),
            files: map(files?),
            vary: map(vary?),
        },
        tables: tables?,
        nodes: nodes?.unwrap_or_default(),
        agendas: agendas?.unwrap_or_default(),
        co2_accounting: None,
        requests: requests?,
    })
}

fn policies(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Policy>> {
    let mut found: Vec<Policy> = Vec::new();
    let policies = reader.array(raw, |reader, raw| {
        let word = reader.string(raw)?;
        let policy = reader.accept(word.parse::<Policy>())?;
        if found.contains(&policy) {
            reader.error("is there already");
            return None;
        }
        found.push(policy);
        Some(policy)
    })?;
    if policies.is_empty() {
        reader.error("must have at least one policy");
        return None;
    }
    Some(policies)
}

fn value(reader: &mut Reader, raw: &RawValue) -> Option<Value> {
    reader.accept(serde_json::from_str(raw.get()))
}

/// Notes what is wrong with an experiment that has one value only.
fn accept_alone(reader: &mut Reader, trial: &Experiment) -> Option<()> {
    match trial.variants() {
        Ok(_) => Some(()),
        Err(ExperimentError::Parameters(message) | ExperimentError::Files(message)) => {
            reader.error(message);
            None
        }
        Err(error) => {
            reader.error(error);
            None
        }
    }
}

fn parameter(reader: &mut Reader, name: &str, raw: &RawValue) -> Option<Value> {
    let value = value(reader, raw)?;
    groups(reader, name, raw)?;
    let mut trial = Experiment::default();
    trial.parameters.insert(name.to_owned(), value.clone());
    accept_alone(reader, &trial)?;
    Some(value)
}

/// Notes what is wrong in a parameter that is a list, each error at its own place.
fn groups(reader: &mut Reader, name: &str, raw: &RawValue) -> Option<()> {
    match name {
        _ if raw.get() == "null" => Some(()),
        "rights" => GroupRights::read(reader, raw).map(|_| ()),
        "keep_warm_in" => WarmGroups::read(reader, raw).map(|_| ()),
        _ => Some(()),
    }
}

type Tables = BTreeMap<String, String>;

fn file(reader: &mut Reader, name: &str, raw: &RawValue, tables: Option<&Tables>) -> Option<Value> {
    let value = value(reader, raw)?;
    let mut trial = Experiment::default();
    trial.files.insert(name.to_owned(), value.clone());
    accept_alone(reader, &trial)?;
    is_among(reader, name, &value, tables)?;
    Some(value)
}

fn varied(
    reader: &mut Reader,
    name: &str,
    raw: &RawValue,
    tables: Option<&Tables>,
) -> Option<Value> {
    let value = value(reader, raw)?;
    groups(reader, name, raw)?;
    let mut trial = Experiment::default();
    trial.set(name, value.clone());
    accept_alone(reader, &trial)?;
    is_among(reader, name, &value, tables)?;
    Some(value)
}

/// Whether a file's name is that of a table. Where the tables are wrong, nothing is said.
fn is_among(
    reader: &mut Reader,
    member: &str,
    value: &Value,
    tables: Option<&Tables>,
) -> Option<()> {
    let named = value.as_str().filter(|_| member.ends_with("_file"));
    let (Some(name), Some(tables)) = (named, tables) else { return Some(()) };
    if !tables.contains_key(name) {
        reader.error(format!("must name one of the tables; {name:?} is none of them"));
        return None;
    }
    Some(())
}

/// `"site"`, or what `given` reads.
fn origin<T>(
    reader: &mut Reader,
    raw: &RawValue,
    given: fn(&mut Reader, &RawValue) -> Option<T>,
) -> Option<Origin<T>> {
    if raw.get().starts_with('"') {
        if reader.string(raw)? == "site" {
            return Some(Origin::Site);
        }
        reader.error("must be \"site\", or what a problem file has here");
        return None;
    }
    given(reader, raw).map(Origin::Given)
}

fn nodes(reader: &mut Reader, raw: &RawValue) -> Option<Arc<Nodes>> {
    #[derive(serde::Deserialize)]
    struct Class {
        count: f64,
    }
    #[derive(serde::Deserialize)]
    struct Classes {
        classes: Vec<Class>,
    }
    // Before they are laid out.
    let counted = serde_json::from_str::<Classes>(raw.get());
    let count: f64 = counted.iter().flat_map(|it| &it.classes).map(|class| class.count).sum();
    if count > f64::from(MAX_NODES) {
        reader.error(format!("must be at most {MAX_NODES} nodes"));
        return None;
    }
    json::nodes::inline(reader, raw).map(Arc::new)
}

fn requests(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Request>> {
    let requests = reader.array(raw, simulated_request)?;
    if requests.is_empty() {
        reader.error("must have at least one request");
        return None;
    }
    Some(requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let found = Document::read(text).err().unwrap_or_default();
        found.iter().map(|error| error.pointer.clone()).collect()
    }

    #[test]
    fn every_error_has_its_place() {
        let text = r#"{
            "name": 5, "policies": ["asap_first", "cheapest", "asap_first"],
            "parameters": {"nodes": -1, "node": 1, "mix": {"knee": "x"}},
            "files": {"price_file": "/etc/passwd", "co2_file": 7, "nodes": 5},
            "vary": {"max_delay_h": [1, "soon"], "runs": [], "price_file": ["a.csv", "b.csv"]},
            "tables": {"a.csv": "start,end,price_per_mwh"},
            "nodes": "mine", "agendas": {"price": [], "co2": 1},
            "requests": [{"nodes": 0, "duration_s": 60, "earliest_start": "2026-01-01T00:00:00Z",
                          "latest_start": "2025-01-01T00:00:00Z"}, {"nodes": 1}], "seeds": 1
        }"#;
        let expected = [
            "/seeds",
            "/name",
            "/policies/1",
            "/policies/2",
            "/parameters/nodes",
            "/parameters/node",
            "/parameters/mix",
            "/files/price_file",
            "/files/co2_file",
            "/files/nodes",
            "/vary/max_delay_h/1",
            "/vary/runs",
            "/vary/price_file/1",
            "/nodes",
            "/agendas/co2",
            "/requests/0/nodes",
            "/requests/0/latest_start",
            "/requests/1/duration_s",
            "/requests/1/earliest_start",
            "/requests/1/latest_start",
        ];
        assert_eq!(errors(text), expected);
        assert_eq!(errors(r#"{"nodes": {"classes": [{"count": 9e9}]}}"#), ["/nodes"]);
    }

    #[test]
    fn an_empty_document_is_the_papers_month() {
        let document = Document::read("{}").unwrap();
        assert_eq!(document.experiment, Experiment::default());
        assert_eq!(document.nodes, Origin::Drawn);
        assert!(document.requests.is_none());
    }
}
