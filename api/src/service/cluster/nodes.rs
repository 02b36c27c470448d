//! All nodes, replaced together.

use std::sync::Arc;

use planner::node::Nodes;
use storage::{Calibration, EpochId};

use super::{ClusterError, ClusterService};
use crate::service::shared::{Cluster, blocking};

impl ClusterService {
    /// Replaces all nodes: a new epoch, to which reservations and outages to come are carried over
    /// by name.
    ///
    /// # Errors
    /// `NodesInUse` where a reservation to come holds a node that would vanish.
    pub async fn put_nodes(&self, nodes: Nodes) -> Result<EpochId, ClusterError> {
        self.replace_nodes(nodes, &[], None).await
    }

    /// Replaces the nodes, if `based_on` is still the newest epoch or not said.
    pub(in crate::service) async fn replace_nodes(
        &self,
        nodes: Nodes,
        calibrations: &[Calibration],
        based_on: Option<EpochId>,
    ) -> Result<EpochId, ClusterError> {
        let nodes = Arc::new(nodes);
        let (written, scope) = (Arc::clone(&nodes), self.shared.settings.cap_scope);
        let cluster = blocking(move || Cluster::new(written, scope)).await?;
        let _booking = self.shared.pool.site_turn().await;
        let (database, now) = (&self.shared.database, self.shared.now());
        let epoch = database.replace_nodes(&nodes, calibrations, based_on, now).await?;
        self.shared.states.prepare(epoch, Arc::new(cluster));
        Ok(epoch)
    }
}
