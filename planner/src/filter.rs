//! Which nodes a request may take, by partition, features and name.

use crate::labels::NodeLabels;
use crate::node::Nodes;
use crate::node_set::NodeSet;

/// The nodes that a request may take: those that match all of it. All nodes by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeFilter {
    /// Nodes of this partition only.
    pub partition: Option<Box<str>>,
    /// Nodes with all of these features only.
    pub features: Vec<Box<str>>,
    /// None of these nodes, by name.
    pub exclude: Vec<Box<str>>,
    /// No other nodes than these, by name; all of them where there is none.
    pub only: Vec<Box<str>>,
    /// None of the nodes in these partitions: they are closed to who asks.
    pub closed: Vec<Box<str>>,
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
        /// The field of the request that has the name.
        field: &'static str,
        /// The name's position in its list.
        index: usize,
        /// The name.
        name: Box<str>,
    },
}

impl NodeFilter {
    /// Whether partition and features admit a node with these labels.
    fn matches(&self, labels: &NodeLabels) -> bool {
        let partition = |name| labels.partitions.contains(name);
        self.partition.as_ref().is_none_or(partition)
            && self.features.iter().all(|name| labels.features.contains(name))
            && !self.closed.iter().any(|name| labels.partitions.contains(name))
    }

    /// Whether all nodes match.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether partition and features admit all nodes.
    pub const fn has_no_labels(&self) -> bool {
        self.partition.is_none() && self.features.is_empty() && self.closed.is_empty()
    }

    /// What the filter names that is not there, all of it.
    pub fn errors(&self, nodes: &Nodes) -> Vec<FilterError> {
        let kinds = nodes.labels().kinds();
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
        for (field, list) in [("exclude", &self.exclude), ("only", &self.only)] {
            if list.is_empty() {
                continue;
            }
            let names = nodes.index();
            let unknown = list.iter().enumerate().filter(|(_, it)| names.ordinal(it).is_none());
            errors.extend(unknown.map(|(index, name)| FilterError::NoNode {
                field,
                index,
                name: name.clone(),
            }));
        }
        errors
    }

    /// Whether it names nodes, to be excluded or taken.
    pub const fn has_no_names(&self) -> bool {
        self.exclude.is_empty() && self.only.is_empty()
    }

    /// This filter without the nodes that it names.
    #[must_use]
    pub fn labels_alone(&self) -> Self {
        Self { exclude: Vec::new(), only: Vec::new(), ..self.clone() }
    }

    /// The ordinals of the nodes that it excludes by name: those that it says, and all but those that it takes
    /// only.
    pub fn excluded(&self, nodes: &Nodes) -> NodeSet {
        if self.has_no_names() {
            return NodeSet::new();
        }
        let index = nodes.index();
        let named = |list: &[Box<str>]| {
            NodeSet::from_positions(list.iter().filter_map(|name| index.ordinal(name)))
        };
        let excluded = named(&self.exclude);
        if self.only.is_empty() {
            return excluded;
        }
        let all = NodeSet::from_ranges(std::iter::once(0..nodes.count()).collect());
        excluded.union(&all.difference(&named(&self.only)))
    }

    /// Whether partition and features admit the node at an ordinal, without its name.
    pub fn admits<'a>(&'a self, nodes: &'a Nodes) -> impl Fn(u32) -> bool + 'a {
        let labels = nodes.labels();
        let admitted: Vec<bool> = labels.kinds().iter().map(|kind| self.matches(kind)).collect();
        let unlabelled = self.has_no_labels();
        move |ordinal| match labels.kind_of().get(ordinal as usize) {
            Some(&kind) => admitted[kind as usize],
            None => unlabelled,
        }
    }
}
