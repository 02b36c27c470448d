//! `GET /api/v1/nodes`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::quantity::Power;
use planner::resource_manager::KnownNode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::resource_manager::ResourceManagerService;

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NodesQuery {
    /// The `next_cursor` of the page before.
    pub cursor: Option<u32>,
    /// Nodes in a page, 1 to 10000; 1000 unless given.
    pub limit: Option<u16>,
}

/// A page of nodes.
#[derive(Serialize, ToSchema)]
pub struct NodesPage {
    /// The calibration epoch; null before nodes were put.
    pub epoch: Option<i64>,
    /// Of the whole cluster.
    pub count: u32,
    /// The sum of all maximum powers, watts.
    pub max_power_w: f64,
    /// In input order.
    pub nodes: Vec<ShownNode>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<u32>,
}

/// A node as calibrated.
#[derive(Serialize, ToSchema)]
pub struct ShownNode {
    /// Position in input order, as in `node_ranges`.
    pub ordinal: u32,
    /// Unique.
    pub name: String,
    /// Watts.
    pub idle_power_w: f64,
    /// Watts.
    pub max_power_w: f64,
    /// The node's own coefficient, where it has one.
    pub alpha: Option<f64>,
    /// The partitions it is in; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<String>,
    /// The features it has; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// What Slurm has told of it last; absent where there is no Slurm, or it does not have the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slurm: Option<ManagedNodeDocument>,
}

/// What Slurm says that a node has.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmNode)]
pub struct ManagedNodeDocument {
    /// Processors, as Slurm counts them.
    pub cpus: u32,
    /// MiB.
    pub memory_mib: u64,
    /// Generic resources; empty where there are none.
    #[schema(example = "gpu:a100:4")]
    pub generic_resources: String,
}

impl From<&KnownNode> for ManagedNodeDocument {
    fn from(node: &KnownNode) -> Self {
        Self {
            cpus: node.cpus,
            memory_mib: node.memory_mib,
            generic_resources: node.generic_resources.to_string(),
        }
    }
}

/// The cluster's nodes with their calibrated power
///
/// For users and operators.
#[utoipa::path(
    get,
    path = "/api/v1/nodes",
    tag = "cluster",
    params(NodesQuery),
    responses(
        (status = OK, body = NodesPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_nodes(
    State(manager): State<Arc<ResourceManagerService>>,
    by: By,
    Parameters(parameters): Parameters<NodesQuery>,
) -> Result<Json<NodesPage>, Problem> {
    let limit = query::limit(parameters.limit, 1000, 10_000)?;
    let (epoch, nodes) = (by.state.epoch(), &by.state.cluster.nodes);
    let count = nodes.count();
    let first = parameters.cursor.unwrap_or(0).min(count);
    let until = first.saturating_add(limit.into()).min(count);
    let names: Vec<String> = (first..until).map(|it| nodes.name(it).into_owned()).collect();
    let hardware = manager.hardware_of(&names).await?;
    let shown = |ordinal: u32| {
        let node = &nodes.as_slice()[ordinal as usize];
        let labels = nodes.labels().of(ordinal).cloned().unwrap_or_default();
        ShownNode {
            ordinal,
            name: nodes.name(ordinal).into_owned(),
            idle_power_w: node.idle().as_watts(),
            max_power_w: node.max().as_watts(),
            alpha: node.alpha().map(planner::decimal::Fraction::as_f64),
            partitions: labels.partitions.into_iter().map(String::from).collect(),
            features: labels.features.into_iter().map(String::from).collect(),
            slurm: hardware.get(nodes.name(ordinal).as_ref()).map(ManagedNodeDocument::from),
        }
    };
    Ok(Json(NodesPage {
        epoch: epoch.map(storage::EpochId::get),
        count,
        max_power_w: Power::as_watts(nodes.max_power()),
        nodes: (first..until).map(shown).collect(),
        next_cursor: (until < count).then_some(until),
    }))
}
