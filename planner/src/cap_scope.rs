//! The nodes whose power the cap limits.

use crate::node::Nodes;
use crate::quantity::Power;

/// The nodes whose power the cap limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CapScope {
    /// The reserved nodes' maximum power (paper, constraint C3).
    #[default]
    ReservedNodes,
    /// The whole cluster: the reserved nodes' maximum power and all others' idle power.
    AllNodes,
}

impl CapScope {
    /// The scope of that word in documents and settings.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::ReservedNodes, Self::AllNodes].into_iter().find(|scope| scope.word() == word)
    }

    /// What counts against the cap whatever is reserved: the idle power of all nodes, where idle
    /// nodes count.
    pub fn base_power(self, nodes: &Nodes) -> Power {
        match self {
            Self::ReservedNodes => Power::ZERO,
            Self::AllNodes => nodes.idle_power(),
        }
    }

    /// The word used in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReservedNodes => "reserved_nodes",
            Self::AllNodes => "all_nodes",
        }
    }
}
