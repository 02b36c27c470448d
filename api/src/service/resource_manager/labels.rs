//! Partitions and features of our nodes become what the resource manager says, where the site wants it.

use std::collections::HashMap;

use planner::labels::{Labels, NodeLabels};
use planner::node::Nodes;
use planner::resource_manager::{ManagedNode, labels_of};

use super::turn::Turn;
use super::{ResourceManagerService, TurnError};
use crate::service::cluster::ClusterError;

impl ResourceManagerService {
    /// Gives our nodes the partitions and features that the resource manager says. Nodes that it does not
    /// know keep theirs.
    pub(super) async fn follow_labels(&self, turn: &Turn<'_>) -> Result<(), TurnError> {
        let (Some(epoch), true) = (turn.state.epoch(), turn.settings.follows_labels) else {
            return Ok(());
        };
        let nodes = &turn.state.cluster.nodes;
        let Some(labels) = changed(nodes, &turn.seen.nodes.items) else { return Ok(()) };
        let followed = Nodes::clone(nodes).with_labels(labels);
        match self.cluster.replace_nodes(followed, &[], Some(epoch)).await {
            Ok(_) => {
                tracing::info!("nodes have the partitions and features of the resource manager");
            }
            // Somebody replaced the nodes meanwhile: the next turn compares with those.
            Err(ClusterError::NodesReplaced) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// The labels of nodes as the resource manager says them; `None` where they are so already.
fn changed(nodes: &Nodes, seen: &[ManagedNode]) -> Option<Labels> {
    let seen: HashMap<&str, &ManagedNode> = seen.iter().map(|it| (it.name.as_ref(), it)).collect();
    let mut differs = false;
    let labels = (0..nodes.count()).map(|ordinal| {
        let ours = nodes.labels().of(ordinal).cloned().unwrap_or_default();
        let theirs = seen.get(nodes.name(ordinal).as_ref()).map(|node| labels_of(node));
        let followed = theirs.filter(|theirs| *theirs != sorted(&ours)).unwrap_or(ours);
        differs |= nodes.labels().of(ordinal).cloned().unwrap_or_default() != followed;
        followed
    });
    let labels = Labels::new(labels);
    differs.then_some(labels)
}

/// Labels in the order in which the resource manager's are compared.
fn sorted(labels: &NodeLabels) -> NodeLabels {
    let NodeLabels { mut partitions, mut features } = labels.clone();
    partitions.sort_unstable();
    features.sort_unstable();
    NodeLabels { partitions, features }
}
