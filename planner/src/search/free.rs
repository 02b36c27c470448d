//! Which nodes of a selection are free: over cells of ranks where what is taken is a few ranges of
//! the selection's order, else node by node.

use std::ops::Range;

use super::node_covers::NodeCovers;
use super::taken::Taken;
use crate::free_nodes::{Cells, FreeNodes};
use crate::node_set::NodeSet;
use crate::order::Totals;
use crate::selection::Selection;

/// The free nodes, one way or the other.
pub(super) enum Free<'a> {
    /// Costs `O(ranges log ranges)`.
    Cells {
        nodes: FreeNodes<'a>,
        /// Cells of all entries' ranges, in the order of the entries.
        cells: Vec<Cells>,
        /// Which of `cells` each entry has.
        of_entry: Vec<Range<usize>>,
    },
    /// Costs `O(nodes taken)`.
    Nodes(NodeCovers<'a>),
}

impl<'a> Free<'a> {
    /// All nodes free; entries are addressed by their index in `taken`.
    pub(super) fn new(taken: &'a [Taken<'a>], selection: &'a Selection) -> Self {
        if !selection.keeps_sequence() || scattered(taken, selection.order().count()) {
            return Self::Nodes(NodeCovers::new(taken, selection));
        }
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut of_entry = Vec::with_capacity(taken.len());
        for entry in taken {
            let first = ranges.len();
            let selected = entry.ranks.ranges().iter().map(|range| selection.range(range));
            ranges.extend(selected.filter(|range| !range.is_empty()));
            of_entry.push(first..ranges.len());
        }
        let (nodes, cells) = FreeNodes::new(selection.order(), ranges.into_iter());
        Self::Cells { nodes, cells, of_entry }
    }

    /// Takes the nodes of an entry, once more.
    pub(super) fn take(&mut self, entry: usize) {
        match self {
            Self::Cells { nodes, cells, of_entry } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| nodes.take(cells));
            }
            Self::Nodes(nodes) => nodes.take(entry),
        }
    }

    /// Gives back the nodes of an entry that was taken.
    pub(super) fn give_back(&mut self, entry: usize) {
        match self {
            Self::Cells { nodes, cells, of_entry } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| nodes.give_back(cells));
            }
            Self::Nodes(nodes) => nodes.give_back(entry),
        }
    }

    /// How many nodes are free.
    pub(super) fn count(&self) -> u32 {
        match self {
            Self::Cells { nodes, .. } => nodes.count(),
            Self::Nodes(nodes) => nodes.count(),
        }
    }

    /// The sums over the first `count` free nodes; there must be as many.
    pub(super) fn first(&self, count: u32) -> Totals {
        match self {
            Self::Cells { nodes, .. } => nodes.first(count),
            Self::Nodes(nodes) => nodes.first(count),
        }
    }

    /// The first `count` nodes that none of `entries` takes, whatever is taken now; there must be
    /// as many.
    pub(super) fn first_outside(
        &self,
        entries: impl Iterator<Item = usize>,
        count: u32,
    ) -> NodeSet {
        match self {
            Self::Cells { nodes, cells, of_entry } => {
                let taken = entries.flat_map(|entry| &cells[of_entry[entry].clone()]);
                nodes.first_outside(taken, count)
            }
            Self::Nodes(nodes) => nodes.first_outside(entries, count),
        }
    }
}

/// Whether what is taken is so scattered that its nodes are cheaper to go through than its ranges.
///
/// By measurement: a range costs some 200 ns in the tree of cells; by nodes, each costs 16 ns to take
/// and give back, and each entry twice a look at all blocks and the nodes of one.
fn scattered(taken: &[Taken<'_>], count: u32) -> bool {
    let ranges: u64 = taken.iter().map(|entry| entry.ranks.ranges().len() as u64).sum();
    // Counting nodes is worth it only where there are many ranges.
    if ranges < 10_000 {
        return false;
    }
    let nodes: u64 = taken.iter().map(|entry| u64::from(entry.ranks.count())).sum();
    let look = u64::from(count / 512 + 1_024);
    16 * nodes + 2 * taken.len() as u64 * look < 200 * ranges
}
