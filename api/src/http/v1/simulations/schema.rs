//! Schemas of an experiment, which is read piece by piece, for the OpenAPI document. Nothing is
//! deserialised into these types.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema;

use crate::http::v1::schema::{
    CapPiece, IntensityPiece, NodesDocument, PricePiece, ShapeDocument, ToleranceDocument,
};

/// An experiment with its inputs. Every member may be left out; `{}` is the paper's month.
#[derive(ToSchema)]
#[schema(example = json!({
    "name": "What flexibility is worth",
    "policies": ["asap_first", "cost_co2_energy"],
    "parameters": {"nodes": 44, "requests": 20, "runs": 5},
    "vary": {"max_delay_h": [1, 12]},
}))]
pub struct ExperimentDocument {
    /// The report's title.
    pub name: Option<String>,
    /// What is compared: `asap_first`, `asap_least`, `knee`, `mixed`, rankings such as
    /// `cost_co2_energy`, and rankings with a tolerance in per cent such as `cost_co2_energy~5`.
    pub policies: Option<Vec<String>>,
    /// Parameters by name, as in an experiment file.
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<BTreeMap<String, Value>>,
    /// What is read from tables: `price_file` and the like, each the name of one of `tables`;
    /// `currency` of the prices; how a trace is read (`swf_processors_per_node` and others).
    #[schema(value_type = Option<Object>)]
    pub files: Option<BTreeMap<String, Value>>,
    /// Lists of values of parameters or files, of which every combination is played.
    #[schema(value_type = Option<Object>)]
    pub vary: Option<BTreeMap<String, Vec<Value>>>,
    /// The texts of the tables (CSV, or a workload trace) by name.
    pub tables: Option<BTreeMap<String, String>>,
    /// The nodes; drawn unless given.
    pub nodes: Option<NodesOrigin>,
    /// Price, CO2 and power cap; drawn unless given.
    pub agendas: Option<AgendasOrigin>,
    /// The requests, in the order in which they are placed; drawn unless given.
    pub requests: Option<Vec<GivenRequest>>,
}

/// `"site"` for the site's nodes as they are now, or nodes.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum NodesOrigin {
    /// `"site"`.
    #[schema(example = "site")]
    Site(String),
    /// The nodes.
    Given(NodesDocument),
}

/// `"site"` for the site's agendas as they are now, or agendas.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum AgendasOrigin {
    /// `"site"`.
    #[schema(example = "site")]
    Site(String),
    /// The agendas.
    Given(GivenAgendas),
}

/// Agendas of an experiment.
#[derive(ToSchema)]
pub struct GivenAgendas {
    /// Prices.
    pub price: Vec<PricePiece>,
    /// CO2 intensities.
    pub co2: Vec<IntensityPiece>,
    /// Power caps; without them there is no cap.
    pub power_cap: Option<Vec<CapPiece>>,
}

/// A request of an experiment.
#[derive(ToSchema)]
pub struct GivenRequest {
    /// How many nodes, at least 1.
    pub nodes: u32,
    /// How long.
    pub duration_s: crate::http::v1::schema::Duration,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub earliest_start: String,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub latest_start: String,
    /// How hard nodes without an `alpha` are driven.
    #[schema(minimum = 0, maximum = 1)]
    pub utilisation: Option<f64>,
    /// Other shapes that would do as well, 1 to 8.
    pub alternatives: Option<Vec<ShapeDocument>>,
    /// The instant by which it must be over.
    #[schema(format = DateTime)]
    pub latest_end: Option<String>,
    /// How much more than the least of a criterion is as good as the least; goes before the policy's.
    pub tolerance: Option<ToleranceDocument>,
    /// Only nodes of this partition.
    pub partition: Option<String>,
    /// Only nodes with all of these features.
    pub features: Option<Vec<String>>,
    /// None of these nodes, by name.
    pub exclude: Option<Vec<String>>,
    /// No other nodes than these, by name.
    pub only: Option<Vec<String>>,
}
