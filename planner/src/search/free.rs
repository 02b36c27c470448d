//! Which nodes of a selection are free: over cells of ranks where what is taken is a few ranges of
//! the selection's order, else node by node.
//!
//! Entries are taken and given back for the sums over free nodes. Apart from that they enter and leave,
//! to find the nodes themselves: that is asked of few starts, and costs less to keep.

use std::collections::BTreeSet;
use std::ops::Range;

use super::node_covers::NodeCovers;
use super::taken::Taken;
use crate::free_nodes::{Cells, Covers, FreeNodes};
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
        /// Of the entries that are inside.
        covers: Covers,
    },
    /// Costs `O(nodes taken)`.
    Nodes {
        nodes: NodeCovers<'a>,
        /// The entries that are inside.
        inside: BTreeSet<usize>,
    },
}

impl<'a> Free<'a> {
    /// All nodes free; entries are addressed by their index in `taken`.
    pub(super) fn new(taken: &'a [Taken<'a>], selection: &'a Selection) -> Self {
        if !selection.keeps_sequence() || scattered(taken, selection.order().count()) {
            let nodes = NodeCovers::new(taken, selection);
            return Self::Nodes { nodes, inside: BTreeSet::new() };
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
        Self::Cells { nodes, cells, of_entry, covers: Covers::default() }
    }

    /// Takes the nodes of an entry, once more.
    pub(super) fn take(&mut self, entry: usize) {
        match self {
            Self::Cells { nodes, cells, of_entry, .. } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| nodes.take(cells));
            }
            Self::Nodes { nodes, .. } => nodes.take(entry),
        }
    }

    /// Gives back the nodes of an entry that was taken.
    pub(super) fn give_back(&mut self, entry: usize) {
        match self {
            Self::Cells { nodes, cells, of_entry, .. } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| nodes.give_back(cells));
            }
            Self::Nodes { nodes, .. } => nodes.give_back(entry),
        }
    }

    /// How many nodes are free.
    pub(super) fn count(&self) -> u32 {
        match self {
            Self::Cells { nodes, .. } => nodes.count(),
            Self::Nodes { nodes, .. } => nodes.count(),
        }
    }

    /// The sums over the first `count` free nodes; there must be as many.
    pub(super) fn first(&self, count: u32) -> Totals {
        match self {
            Self::Cells { nodes, .. } => nodes.first(count),
            Self::Nodes { nodes, .. } => nodes.first(count),
        }
    }

    /// Lets no entry be inside.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Cells { nodes, covers, .. } => *covers = nodes.no_covers(),
            Self::Nodes { inside, .. } => inside.clear(),
        }
    }

    /// An entry comes inside.
    pub(super) fn enter(&mut self, entry: usize) {
        match self {
            Self::Cells { cells, of_entry, covers, .. } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| covers.add(cells));
            }
            Self::Nodes { inside, .. } => _ = inside.insert(entry),
        }
    }

    /// An entry is not inside any more.
    pub(super) fn leave(&mut self, entry: usize) {
        match self {
            Self::Cells { cells, of_entry, covers, .. } => {
                cells[of_entry[entry].clone()].iter().for_each(|cells| covers.remove(cells));
            }
            Self::Nodes { inside, .. } => _ = inside.remove(&entry),
        }
    }

    /// The first `count` nodes that no entry inside has, whatever is taken now, or all where there are fewer.
    pub(super) fn first_outside(&self, count: u32) -> NodeSet {
        match self {
            Self::Cells { nodes, covers, .. } => nodes.first_uncovered(covers, count),
            Self::Nodes { nodes, inside } => nodes.first_outside(inside.iter().copied(), count),
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
