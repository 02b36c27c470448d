//! The nodes of an epoch, the newest or one that is over.

use std::sync::{Arc, Mutex, PoisonError};

use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::order::NodeOrder;
use storage::EpochId;

use super::{Fault, Shared};

/// The nodes of an epoch, and the order whose ranks allocations count in.
#[derive(Clone)]
pub struct EpochNodes {
    /// The nodes.
    pub nodes: Arc<Nodes>,
    /// The order.
    pub order: Arc<NodeOrder>,
}

/// The epoch that is over and was needed last: it is needed for as long as what was in it is looked at.
#[derive(Default)]
pub struct LastEpoch(Mutex<Option<(EpochId, EpochNodes)>>);

impl EpochNodes {
    /// Ordinals of the nodes of these names; names of no node are left out.
    pub fn ordinals<'a>(&self, names: impl Iterator<Item = &'a str>) -> NodeSet {
        let index = self.nodes.index();
        NodeSet::from_positions(names.filter_map(|name| index.ordinal(name)))
    }
}

impl Shared {
    /// The nodes of an epoch.
    ///
    /// # Errors
    /// The database cannot be reached, or has no such epoch.
    pub async fn nodes_of_epoch(&self, id: EpochId) -> Result<EpochNodes, Fault> {
        let state = self.state().await?;
        if state.epoch() == Some(id) {
            let (nodes, order) = (&state.cluster.nodes, &state.cluster.reference);
            return Ok(EpochNodes { nodes: Arc::clone(nodes), order: Arc::clone(order) });
        }
        let last = self.last_epoch.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, known)) = last.filter(|(last, _)| *last == id) {
            return Ok(known);
        }
        let stored = self.database.nodes_of_epoch(id).await?;
        let missing = || Fault::internal(anyhow::anyhow!("epoch {id} is not in the database"));
        let stored = stored.ok_or_else(missing)?;
        let nodes = EpochNodes { nodes: stored.nodes.into(), order: stored.order.into() };
        let last = Some((id, nodes.clone()));
        *self.last_epoch.0.lock().unwrap_or_else(PoisonError::into_inner) = last;
        Ok(nodes)
    }
}
