//! The nodes of both sides compared: known, new, gone and renamed ones, and what they are in.

use std::collections::{HashMap, HashSet};

use super::{KnownNode, ManagedNode, OurPart};
use crate::labels::NodeLabels;

/// The nodes of both sides compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodesCompared {
    /// How many both sides have.
    pub known: usize,
    /// Names that only the resource manager has.
    pub unknown: Vec<String>,
    /// Names that only we have.
    pub missing: Vec<String>,
    /// Those that changed their name, from ours to the resource manager's.
    pub renamed: Vec<(String, String)>,
}

/// Compares our nodes with the resource manager's, by name. `remembered` is what it told of its nodes
/// before: who keeps an address under another name was renamed. Of the resource manager's, only those in
/// the partitions that count are new. All lists are sorted.
pub fn compare_nodes(
    ours: &OurPart<'_>,
    seen: &[ManagedNode],
    remembered: &[KnownNode],
) -> NodesCompared {
    let addresses: HashMap<&str, &str> =
        remembered.iter().map(|it| (it.name.as_ref(), it.address.as_ref())).collect();
    let names: HashSet<&str> = seen.iter().map(|node| node.name.as_ref()).collect();
    let is_ours = |name: &str| ours.nodes.contains(name);
    let mut unknown: Vec<&ManagedNode> =
        seen.iter().filter(|node| !is_ours(&node.name) && ours.counts(node)).collect();
    let mut missing: Vec<&str> =
        ours.nodes.iter().copied().filter(|it| !names.contains(it)).collect();
    let by_address: HashMap<&str, &str> =
        unknown.iter().map(|node| (node.address.as_ref(), node.name.as_ref())).collect();
    let renamed = missing.iter().filter_map(|&from| {
        let to = by_address.get(addresses.get(from)?)?;
        Some((from.to_owned(), (*to).to_owned()))
    });
    let mut renamed: Vec<(String, String)> = renamed.collect();
    renamed.sort_unstable();
    missing.retain(|name| renamed.iter().all(|(from, _)| from != name));
    unknown.retain(|node| renamed.iter().all(|(_, to)| **to != *node.name));
    let mut unknown: Vec<String> = unknown.iter().map(|node| node.name.to_string()).collect();
    unknown.sort_unstable();
    missing.sort_unstable();
    NodesCompared {
        known: names.iter().filter(|name| is_ours(name)).count(),
        unknown,
        missing: missing.into_iter().map(str::to_owned).collect(),
        renamed,
    }
}

/// What a node is in and has, as the resource manager says it. In a fixed order, so that a list in
/// another order is no change.
pub fn labels_of(node: &ManagedNode) -> NodeLabels {
    let sorted = |list: &[Box<str>]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        list
    };
    NodeLabels { partitions: sorted(&node.partitions), features: sorted(&node.features) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::node;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|&it| it.to_owned()).collect()
    }

    /// We have n1 to n4. The resource manager has n1, n2, n9 and a new one: n9 has the address that
    /// n3 had, and x2 is in a partition that does not count.
    #[test]
    fn nodes_are_compared_by_name_and_then_by_address() {
        let ours = OurPart {
            nodes: HashSet::from(["n1", "n2", "n3", "n4"]),
            partitions: &["batch".to_owned()],
            ..OurPart::default()
        };
        let moved = ManagedNode { address: "10.0.0.3".into(), ..node("n9") };
        let elsewhere = ManagedNode { partitions: vec!["debug".into()], ..node("x2") };
        let seen = [node("n2"), node("x1"), moved, elsewhere, node("n1")];
        let addresses = [("n3", "10.0.0.3"), ("n4", "10.0.0.4"), ("n1", "10.0.0.1")];
        let remembered = addresses.map(|(name, address)| {
            KnownNode::from(&ManagedNode { address: address.into(), ..node(name) })
        });
        let compared = compare_nodes(&ours, &seen, &remembered);
        let expected = NodesCompared {
            known: 2,
            unknown: strings(&["x1"]),
            missing: strings(&["n4"]),
            renamed: vec![("n3".to_owned(), "n9".to_owned())],
        };
        assert_eq!(compared, expected);
        let forgotten = compare_nodes(&ours, &seen, &[]);
        assert_eq!(
            (forgotten.unknown, forgotten.missing),
            (strings(&["n9", "x1"]), strings(&["n3", "n4"]))
        );
    }

    #[test]
    fn labels_in_another_order_are_the_same() {
        let listed = |partitions: &[&str], features: &[&str]| {
            let boxed = |list: &[&str]| list.iter().map(|&it| it.into()).collect();
            let (partitions, features) = (boxed(partitions), boxed(features));
            labels_of(&ManagedNode { partitions, features, ..node("n1") })
        };
        let labels = listed(&["long", "batch"], &["gpu", "fast", "gpu"]);
        assert_eq!(labels, listed(&["batch", "long"], &["fast", "gpu"]));
        assert_ne!(labels, listed(&["batch"], &["fast", "gpu"]));
    }
}
