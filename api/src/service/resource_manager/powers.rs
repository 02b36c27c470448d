//! What the resource manager says of nodes' power is noted as it changes, so that the ledger knows when they were off.

use super::known_powers::changed_powers;
use super::turn::Turn;
use super::{ResourceManagerService, TurnError};

impl ResourceManagerService {
    /// Notes what changed of the power of our nodes since it was noted last.
    pub(super) async fn note_powers(&self, turn: &Turn<'_>) -> Result<(), TurnError> {
        let noted = self.memo().powers.clone();
        let known = if let Some(known) = noted {
            known
        } else {
            let stored = self.shared.database.newest_power_states().await?;
            stored.into_iter().map(|it| (it.node.into_boxed_str(), it.power)).collect()
        };
        let index = turn.state.cluster.nodes.index();
        let ours = turn.seen.nodes.items.iter().filter(|it| index.ordinal(&it.name).is_some());
        let ours = ours.map(|it| (&*it.name, it.power));
        let changed = changed_powers(&known, ours, turn.now);
        if !changed.is_empty() {
            self.shared.database.note_power_states(&changed).await?;
        }
        let mut memo = self.memo();
        let powers = memo.powers.get_or_insert(known);
        powers.extend(changed.into_iter().map(|it| (it.node.into_boxed_str(), it.power)));
        Ok(())
    }
}
