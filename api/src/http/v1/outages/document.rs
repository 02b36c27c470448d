//! Outages as JSON.

use std::collections::BTreeSet;

use planner::node_set::NodeSet;
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use storage::Outage;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::service::shared::{ShownNodes, SiteState};

/// Nodes that are out of service for a time.
#[derive(Serialize, ToSchema)]
pub struct OutageDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// The operator who said so; `slurm` where the resource manager did.
    pub owner: String,
    /// In words, for people.
    #[schema(example = "new fans in rack 7")]
    pub reason: String,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339; null where the end is not known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// How many nodes.
    pub node_count: u32,
    /// Which nodes.
    #[serde(flatten)]
    pub nodes: ShownNodes,
    /// The reservations that hold some of the nodes meanwhile. Those for which there are other nodes
    /// get them within seconds, and are not listed any more.
    pub reservations: Vec<String>,
}

impl OutageDocument {
    /// An outage in the state's cluster. Nodes of an earlier epoch, of an outage that ended then,
    /// are not told.
    pub fn new(outage: &Outage, state: &SiteState) -> Self {
        let known = state.epoch() == Some(outage.epoch);
        let ranks = if known { outage.ranks.clone() } else { NodeSet::new() };
        let reservations = if known { state.colliding(outage) } else { BTreeSet::new() };
        Self {
            id: outage.id.as_uuid(),
            owner: outage.owner.clone(),
            reason: outage.reason.clone(),
            created_at: outage.created,
            start: outage.start,
            end: outage.end,
            node_count: outage.ranks.count(),
            nodes: state.cluster.show(&ranks),
            reservations: reservations.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What is recorded of an outage: not its reason, which may name people.
pub(super) fn audited(outage: &Outage) -> Value {
    json!({
        "start": outage.start.to_string(),
        "end": outage.end.map(|end| end.to_string()),
        "node_count": outage.ranks.count(),
    })
}
