//! What the resource manager says of nodes' power is noted as it changes, so that the ledger knows when they were off.

use planner::resource_manager::NodePower;
use planner::time::Timestamp;
use storage::NodePowerState;

use super::turn::{KnownPowers, Turn};
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

/// Nodes that are not as they were, since now.
fn changed_powers<'a>(
    known: &KnownPowers,
    nodes: impl Iterator<Item = (&'a str, NodePower)>,
    now: Timestamp,
) -> Vec<NodePowerState> {
    let was = |node: &str| known.get(node).copied().unwrap_or(NodePower::On);
    let changed = nodes.filter(|(node, power)| was(node) != *power);
    let state = |(node, power): (&str, NodePower)| NodePowerState {
        node: node.to_owned(),
        since: now,
        power,
    };
    changed.map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n1 went off, n2 is on as ever, n3 is on again, and n4 is off as it was.
    #[test]
    fn only_what_changed_is_noted() {
        let known = [("n3", NodePower::PoweringUp), ("n4", NodePower::Off)];
        let known: KnownPowers =
            known.into_iter().map(|(name, power)| (name.into(), power)).collect();
        let nodes = [
            ("n1", NodePower::Off),
            ("n2", NodePower::On),
            ("n3", NodePower::On),
            ("n4", NodePower::Off),
        ];
        let now = Timestamp::from_unix_seconds(7);
        let changed = changed_powers(&known, nodes.into_iter(), now);
        let changed: Vec<(&str, NodePower)> =
            changed.iter().map(|it| (it.node.as_str(), it.power)).collect();
        assert_eq!(changed, [("n1", NodePower::Off), ("n3", NodePower::On)]);
    }
}
