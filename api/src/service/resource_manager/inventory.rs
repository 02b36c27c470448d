//! The resource manager's nodes are remembered as it told them last, with what they have and where they are, and
//! compared with ours.

use std::collections::HashMap;
use std::sync::Arc;

use planner::resource_manager::{
    KnownNode, ManagedNode, NodeNews, NodesCompared, OurPart, compare_nodes, remember,
};

use super::turn::Turn;
use super::withhold::names_of;
use super::{ResourceManagerService, TurnError};
use crate::config::slurm::ManagerSettings;
use crate::service::shared::{Fault, SiteState, blocking};

impl ResourceManagerService {
    /// The nodes of both sides compared.
    pub(super) async fn compare(
        &self,
        settings: &ManagerSettings,
        state: &SiteState,
        seen: &[ManagedNode],
    ) -> Result<NodesCompared, Fault> {
        let remembered = self.shared.database.managed_nodes().await?;
        let names = names_of(state);
        Ok(compare_nodes(&our_part(&settings.partitions, &names), seen, &remembered))
    }

    /// Remembers the nodes that are seen, tells what became of them, and notes which of ours have another name.
    pub(super) async fn remember_nodes(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let known = self.memo().nodes.clone();
        let known = match known {
            Some(known) => known,
            None => Arc::new(self.shared.database.managed_nodes().await?),
        };
        let (partitions, state) = (turn.settings.partitions.clone(), Arc::clone(&turn.state));
        let (seen, now, before) = (Arc::clone(&turn.seen.nodes), turn.now, Arc::clone(&known));
        let (compared, remembered) = blocking(move || {
            let names = names_of(&state);
            let ours = our_part(&partitions, &names);
            let compared = compare_nodes(&ours, &seen.items, &before);
            (compared, remember(&before, &seen.items, &ours, now))
        })
        .await?;
        turn.renamed = compared.renamed.into_iter().collect();
        if remembered.changed.is_empty() {
            self.memo().nodes = Some(known);
            return Ok(());
        }
        for news in &remembered.news {
            match news {
                NodeNews::New(node) => tracing::info!(node, "the resource manager has a new node"),
                NodeNews::Gone(node) => tracing::warn!(node, "the resource manager lost a node"),
                NodeNews::Renamed { from, to } => {
                    tracing::warn!(from, to, "the resource manager calls a node otherwise");
                }
            }
        }
        // Read anew the next time: some may have been forgotten.
        self.memo().nodes = None;
        Ok(self.shared.database.put_managed_nodes(&remembered, turn.now).await?)
    }

    /// What the resource manager says of nodes by name; of nothing where there is none.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn hardware_of(
        &self,
        names: &[String],
    ) -> Result<HashMap<Box<str>, KnownNode>, Fault> {
        if self.connected().is_none() {
            return Ok(HashMap::new());
        }
        let nodes = self.shared.database.managed_nodes_of(names).await?;
        Ok(nodes.into_iter().map(|node| (node.name.clone(), node)).collect())
    }
}

fn our_part<'a>(partitions: &'a [String], names: &'a [String]) -> OurPart<'a> {
    OurPart { nodes: names.iter().map(String::as_str).collect(), partitions, ..OurPart::default() }
}
