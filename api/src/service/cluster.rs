//! The nodes in memory, with their draw orders.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use planner::decimal::Fraction;
use planner::node::Nodes;
use planner::order::{NodeOrder, Preference};
use planner::problem::CapScope;
use planner::request::{NodeFilter, Request};
use planner::selection::Selection;
use storage::{Calibration, EpochId, StorageError};

use super::{Service, ServiceError};

/// Selections kept beside that of all nodes at full utilisation.
const KEPT_SELECTIONS: usize = 8;

/// The nodes of one calibration epoch.
pub struct Cluster {
    /// Which epoch; `None` before nodes were ever put.
    pub epoch: Option<EpochId>,
    /// In input order.
    pub nodes: Arc<Nodes>,
    /// At full utilisation: the ranks of this order are what allocations are stored as.
    pub reference: Arc<NodeOrder>,
    selections: Mutex<HashMap<(u64, NodeFilter), Selection>>,
}

impl Cluster {
    /// A cluster with its reference order.
    pub fn new(epoch: Option<EpochId>, nodes: Arc<Nodes>) -> Self {
        let reference = NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE);
        Self { epoch, nodes, reference: Arc::new(reference), selections: Mutex::default() }
    }

    /// The nodes that a request may take.
    pub fn selection(&self, request: &Request) -> Selection {
        let filter = &request.filter;
        let utilisation = request.utilisation_or_full();
        let excluded = self.reference.ranks(&filter.excluded(&self.nodes));
        if utilisation == Fraction::ONE && filter.has_no_labels() {
            return Selection::all(Arc::clone(&self.reference)).without(excluded);
        }
        let labels = NodeFilter { exclude: Vec::new(), ..filter.clone() };
        let key = (utilisation.as_f64().to_bits(), labels);
        let mut selections = self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        if selections.len() >= KEPT_SELECTIONS && !selections.contains_key(&key) {
            selections.clear();
        }
        let selection = selections.entry(key).or_insert_with(|| {
            let admits = filter.admits(&self.nodes);
            let scope = CapScope::ReservedNodes;
            Selection::new(&self.nodes, &self.reference, scope, utilisation, admits)
        });
        selection.without(excluded)
    }
}

impl Service {
    /// The nodes of the newest epoch, from memory where they are still the newest.
    pub(super) async fn cluster(&self) -> Result<Arc<Cluster>, ServiceError> {
        let newest = self.database.current_epoch().await?;
        if let Some(cluster) = self.cluster.read().await.as_ref()
            && cluster.epoch == newest
        {
            return Ok(Arc::clone(cluster));
        }
        let mut kept = self.cluster.write().await;
        if let Some(cluster) = kept.as_ref()
            && cluster.epoch == newest
        {
            return Ok(Arc::clone(cluster));
        }
        let stored = self.database.load_nodes().await?;
        let (epoch, nodes) = match stored {
            Some(stored) => (Some(stored.epoch), stored.nodes),
            None => (None, no_nodes()?),
        };
        let cluster = blocking(move || Cluster::new(epoch, Arc::new(nodes))).await?;
        let cluster = Arc::new(cluster);
        *kept = Some(Arc::clone(&cluster));
        Ok(cluster)
    }

    /// The cluster's nodes and their epoch.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn nodes(&self) -> Result<(Option<EpochId>, Arc<Nodes>), ServiceError> {
        let cluster = self.cluster().await?;
        Ok((cluster.epoch, Arc::clone(&cluster.nodes)))
    }

    /// Replaces all nodes: a new epoch, to which reservations to come are carried over by name.
    ///
    /// # Errors
    /// `NodesInUse` where a reservation to come holds a node that would vanish.
    pub async fn put_nodes(&self, nodes: Nodes) -> Result<EpochId, ServiceError> {
        self.replace_nodes(nodes, &[], None).await.map_err(|error| match error {
            StorageError::NodesInUse { names, reservations } => ServiceError::NodesInUse {
                names,
                reservations: reservations.iter().map(ToString::to_string).collect(),
            },
            error => error.into(),
        })
    }

    /// Replaces the nodes, if `based_on` is still the newest epoch or not said.
    pub(super) async fn replace_nodes(
        &self,
        nodes: Nodes,
        calibrations: &[Calibration],
        based_on: Option<EpochId>,
    ) -> Result<EpochId, StorageError> {
        let _booking = self.booking.lock().await;
        let now = self.now();
        let epoch = self.database.replace_nodes(&nodes, calibrations, based_on, now).await?;
        // Ordered while the booking turn is held: who comes next finds the new nodes in memory.
        if let Ok(cluster) = blocking(move || Cluster::new(Some(epoch), Arc::new(nodes))).await {
            *self.cluster.write().await = Some(Arc::new(cluster));
        }
        Ok(epoch)
    }
}

/// Runs something slow and pure off the async threads.
///
/// # Errors
/// Only where it panicked.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ServiceError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| ServiceError::Internal(error.into()))
}

fn no_nodes() -> Result<Nodes, ServiceError> {
    Nodes::numbered(Vec::new()).map_err(|error| ServiceError::Internal(error.into()))
}
