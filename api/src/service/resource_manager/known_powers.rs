//! The power of nodes as it was noted last, compared with what is seen now.

use std::collections::HashMap;

use planner::resource_manager::NodePower;
use planner::time::Timestamp;
use storage::NodePowerState;

/// Nodes by name with what they were last; those that are missing were on.
pub(in crate::service) type KnownPowers = HashMap<Box<str>, NodePower>;

/// Nodes that are not as they were, since now.
pub(in crate::service) fn changed_powers<'a>(
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
