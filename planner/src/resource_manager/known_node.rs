//! What is remembered of the resource manager's nodes, and what is news of them.

use std::collections::HashMap;

use super::{ManagedNode, OurPart};
use crate::time::{Seconds, Timestamp};

/// A node that is gone is remembered for so long, so that it is known under another name.
pub const GONE_KEPT_FOR: Seconds = Seconds::new(90 * 86_400);

/// A node of the resource manager as it was told last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNode {
    /// Its name.
    pub name: Box<str>,
    /// The host or address behind the name; a node that was renamed keeps it.
    pub address: Box<str>,
    /// Processors, as the resource manager counts them.
    pub cpus: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// Generic resources such as `gpu:a100:4`; empty where there are none.
    pub generic_resources: Box<str>,
    /// Since when the resource manager has no node of this name; `None` while it does.
    pub gone: Option<Timestamp>,
}

impl From<&ManagedNode> for KnownNode {
    fn from(node: &ManagedNode) -> Self {
        Self {
            name: node.name.clone(),
            address: node.address.clone(),
            cpus: node.cpus,
            memory_mib: node.memory_mib,
            generic_resources: node.generic_resources.clone(),
            gone: None,
        }
    }
}

/// What became of a node in the resource manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeNews {
    /// There is one of this name.
    New(Box<str>),
    /// There is none of this name any more.
    Gone(Box<str>),
    /// It has another name.
    Renamed {
        /// The name that it had.
        from: Box<str>,
        /// The name that it has.
        to: Box<str>,
    },
}

/// What is to be remembered otherwise than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodesRemembered {
    /// Nodes that are told otherwise, by name.
    pub changed: Vec<KnownNode>,
    /// What became of them, by name.
    pub news: Vec<NodeNews>,
}

/// Compares what is remembered with the nodes that are seen at `now` and are ours or count. Who has the
/// address of a node that is gone was renamed. Where nothing is remembered yet, nothing is news.
pub fn remember(
    known: &[KnownNode],
    seen: &[ManagedNode],
    ours: &OurPart<'_>,
    now: Timestamp,
) -> NodesRemembered {
    let counts = |node: &&ManagedNode| ours.nodes.contains(node.name.as_ref()) || ours.counts(node);
    let mut seen: Vec<&ManagedNode> = seen.iter().filter(counts).collect();
    seen.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let before: HashMap<&str, &KnownNode> = known.iter().map(|it| (it.name.as_ref(), it)).collect();
    let there: HashMap<&str, &ManagedNode> =
        seen.iter().map(|node| (node.name.as_ref(), *node)).collect();
    let mut unseen: Vec<&KnownNode> =
        known.iter().filter(|it| !there.contains_key(it.name.as_ref())).collect();
    // Of several that had an address the one that was there last is meant.
    unseen.sort_unstable_by_key(|it| (it.gone.unwrap_or(now), &it.name));
    let mut by_address: HashMap<&str, &KnownNode> =
        unseen.iter().map(|it| (it.address.as_ref(), *it)).collect();
    let mut remembered = NodesRemembered::default();
    let mut renamed: Vec<&str> = Vec::new();
    for node in seen {
        let now_known = KnownNode::from(node);
        let was = before.get(node.name.as_ref());
        if was.is_none_or(|was| was.gone.is_some()) && !known.is_empty() {
            remembered.news.push(match by_address.remove(node.address.as_ref()) {
                Some(from) => {
                    renamed.push(&from.name);
                    NodeNews::Renamed { from: from.name.clone(), to: node.name.clone() }
                }
                None => NodeNews::New(node.name.clone()),
            });
        }
        if was.is_none_or(|was| **was != now_known) {
            remembered.changed.push(now_known);
        }
    }
    let mut gone: Vec<&KnownNode> = unseen.into_iter().filter(|it| it.gone.is_none()).collect();
    gone.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    for node in gone {
        remembered.changed.push(KnownNode { gone: Some(now), ..node.clone() });
        if !renamed.contains(&node.name.as_ref()) {
            remembered.news.push(NodeNews::Gone(node.name.clone()));
        }
    }
    remembered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, node};

    fn at_address(name: &str, address: &str) -> ManagedNode {
        ManagedNode { address: address.into(), ..node(name) }
    }

    fn known(name: &str, address: &str, gone: Option<i64>) -> KnownNode {
        KnownNode { gone: gone.map(at), ..KnownNode::from(&at_address(name, address)) }
    }

    fn remembered(known: &[KnownNode], seen: &[ManagedNode]) -> NodesRemembered {
        remember(known, seen, &OurPart::default(), at(100))
    }

    #[test]
    fn the_first_look_is_no_news() {
        let seen = [at_address("n2", "b"), at_address("n1", "a")];
        let first = remembered(&[], &seen);
        let both = vec![known("n1", "a", None), known("n2", "b", None)];
        assert_eq!(first, NodesRemembered { changed: both.clone(), news: vec![] });
        assert_eq!(remembered(&both, &seen), NodesRemembered::default(), "nothing changed");
    }

    /// n1 stays with more memory, n2 goes, n3 comes, and n4 becomes n9.
    #[test]
    fn nodes_come_go_and_change_their_names() {
        let before = [known("n1", "a", None), known("n2", "b", None), known("n4", "d", None)];
        let more = ManagedNode { memory_mib: 128_000, ..at_address("n1", "a") };
        let seen = [more.clone(), at_address("n3", "c"), at_address("n9", "d")];
        let NodesRemembered { changed, news } = remembered(&before, &seen);
        let expected = [
            KnownNode::from(&more),
            known("n3", "c", None),
            known("n9", "d", None),
            known("n2", "b", Some(100)),
            known("n4", "d", Some(100)),
        ];
        assert_eq!(changed, expected);
        let renamed = NodeNews::Renamed { from: "n4".into(), to: "n9".into() };
        assert_eq!(news, [NodeNews::New("n3".into()), renamed, NodeNews::Gone("n2".into())]);
    }

    /// n4 was gone at 50, before its new name was there; n5 had the address long before.
    #[test]
    fn a_node_that_was_gone_for_a_while_is_known_under_its_new_name() {
        let before =
            [known("n4", "d", Some(50)), known("n5", "d", Some(20)), known("n6", "f", Some(50))];
        let news = remembered(&before, &[at_address("n9", "d"), at_address("n6", "f")]).news;
        let renamed = NodeNews::Renamed { from: "n4".into(), to: "n9".into() };
        assert_eq!(news, [NodeNews::New("n6".into()), renamed], "n6 came back");
    }

    #[test]
    fn nodes_in_other_partitions_are_not_remembered() {
        let partitions = ["batch".to_owned()];
        let part = |nodes: &[&'static str]| OurPart {
            nodes: nodes.iter().copied().collect(),
            partitions: &partitions,
            ..OurPart::default()
        };
        let elsewhere = [ManagedNode { partitions: vec!["debug".into()], ..node("x2") }];
        let changed = |ours: &[&'static str]| remember(&[], &elsewhere, &part(ours), at(1)).changed;
        assert_eq!(changed(&[]), []);
        assert_eq!(changed(&["x2"]).len(), 1, "ours");
    }
}
