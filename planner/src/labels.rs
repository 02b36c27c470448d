//! Partitions and features of nodes.

use std::collections::HashMap;

/// The partitions a node is in and the features it has, as an administrator names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeLabels {
    /// Groups that requests may be confined to; a node may be in several.
    pub partitions: Vec<Box<str>>,
    /// What requests may ask for.
    pub features: Vec<Box<str>>,
}

/// The labels of all nodes, in input order; nodes with like labels share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    kinds: Vec<NodeLabels>,
    /// For each node the index of its labels in `kinds`; empty where no node has any.
    kind_of: Vec<u32>,
}

impl Labels {
    /// The labels of nodes in input order.
    pub fn new(labels: impl IntoIterator<Item = NodeLabels>) -> Self {
        let mut kinds: HashMap<NodeLabels, u32> = HashMap::new();
        let mut kind_of = Vec::new();
        for labels in labels {
            let next = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
            kind_of.push(*kinds.entry(labels).or_insert(next));
        }
        let mut kinds: Vec<(NodeLabels, u32)> = kinds.into_iter().collect();
        kinds.sort_unstable_by_key(|(_, kind)| *kind);
        let kinds: Vec<NodeLabels> = kinds.into_iter().map(|(labels, _)| labels).collect();
        if kinds.iter().all(|labels| *labels == NodeLabels::default()) {
            return Self::default();
        }
        Self { kinds, kind_of }
    }

    /// The labels of nodes in input order, each one of `kinds`; `None` where one is not.
    pub fn of_kinds(kinds: Vec<NodeLabels>, kind_of: Vec<u32>) -> Option<Self> {
        let known = kind_of.iter().all(|&kind| (kind as usize) < kinds.len());
        known.then_some(Self { kinds, kind_of })
    }

    /// The different labels that nodes have, in the order in which they are first met.
    pub fn kinds(&self) -> &[NodeLabels] {
        &self.kinds
    }

    /// For each node the index of its labels in [`Labels::kinds`]; empty where no node has any labels.
    pub fn kind_of(&self) -> &[u32] {
        &self.kind_of
    }

    /// Those of one node; `None` where no node has any.
    pub fn of(&self, ordinal: u32) -> Option<&NodeLabels> {
        self.kind_of.get(ordinal as usize).map(|&kind| &self.kinds[kind as usize])
    }

    /// Whether any node has labels.
    pub fn is_empty(&self) -> bool {
        self.kind_of.is_empty()
    }
}
