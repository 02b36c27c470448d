//! Partitions and features of nodes, and which nodes a request may take by them.

use std::collections::HashMap;

use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::request::NodeFilter;

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

/// Why a filter names nothing that there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// No node is in the partition.
    #[error("no node is in partition {0:?}")]
    NoPartition(Box<str>),
    /// No node has the feature.
    #[error("no node has feature {name:?}")]
    NoFeature {
        /// The feature's position in the request's list.
        index: usize,
        /// The feature.
        name: Box<str>,
    },
    /// No node has the name.
    #[error("no node is named {name:?}")]
    NoNode {
        /// The name's position in the request's list of nodes to exclude.
        index: usize,
        /// The name.
        name: Box<str>,
    },
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

impl NodeLabels {
    fn matches(&self, filter: &NodeFilter) -> bool {
        let partition = |name| self.partitions.contains(name);
        filter.partition.as_ref().is_none_or(partition)
            && filter.features.iter().all(|name| self.features.contains(name))
    }
}

impl NodeFilter {
    /// Whether all nodes match.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether partition and features admit all nodes.
    pub const fn has_no_labels(&self) -> bool {
        self.partition.is_none() && self.features.is_empty()
    }

    /// What the filter names that is not there, all of it.
    pub fn errors(&self, nodes: &Nodes) -> Vec<FilterError> {
        let kinds = &nodes.labels().kinds;
        let partition = self
            .partition
            .iter()
            .filter(|name| !kinds.iter().any(|labels| labels.partitions.contains(name)));
        let features = self
            .features
            .iter()
            .enumerate()
            .filter(|(_, name)| !kinds.iter().any(|labels| labels.features.contains(name)));
        let mut errors: Vec<FilterError> =
            partition.map(|name| FilterError::NoPartition(name.clone())).collect();
        errors.extend(
            features.map(|(index, name)| FilterError::NoFeature { index, name: name.clone() }),
        );
        if !self.exclude.is_empty() {
            let names = nodes.index();
            let excluded = self.exclude.iter().enumerate();
            let unknown = excluded.filter(|(_, name)| names.ordinal(name).is_none());
            errors.extend(
                unknown.map(|(index, name)| FilterError::NoNode { index, name: name.clone() }),
            );
        }
        errors
    }

    /// The ordinals of the nodes that it excludes by name.
    pub fn excluded(&self, nodes: &Nodes) -> NodeSet {
        if self.exclude.is_empty() {
            return NodeSet::new();
        }
        let names = nodes.index();
        NodeSet::from_positions(self.exclude.iter().filter_map(|name| names.ordinal(name)))
    }

    /// Whether partition and features admit the node at an ordinal, without its name.
    pub fn admits<'a>(&'a self, nodes: &'a Nodes) -> impl Fn(u32) -> bool + 'a {
        let labels = nodes.labels();
        let admitted: Vec<bool> = labels.kinds.iter().map(|kind| kind.matches(self)).collect();
        let unlabelled = self.has_no_labels();
        move |ordinal| match labels.kind_of.get(ordinal as usize) {
            Some(&kind) => admitted[kind as usize],
            None => unlabelled,
        }
    }
}
