//! Which nodes are free, node by node: for requests whose order is not the book's, or books so
//! fragmented that ranges say nothing.
//!
//! Every node counts the entries that take it; blocks of nodes sum what is free in them, so that
//! taking a node is constant and finding the first `n` free ones costs the blocks and one block's
//! nodes. All in all a plan costs a pass over the nodes that are taken near its window.

use super::taken::Taken;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Totals};
use crate::selection::Selection;

/// Nodes in a block.
const BLOCK: u32 = 1024;

/// The nodes and who takes them.
pub(super) struct NodeCovers<'a> {
    taken: &'a [Taken<'a>],
    selection: &'a Selection,
    order: &'a NodeOrder,
    covers: Vec<u32>,
    /// What is free in each block.
    free: Vec<Totals>,
    count: u32,
}

impl<'a> NodeCovers<'a> {
    /// All nodes free.
    pub(super) fn new(taken: &'a [Taken<'a>], selection: &'a Selection) -> Self {
        let order = selection.order();
        let count = order.count();
        let block = |first: u32| order.before((first + BLOCK).min(count)) - order.before(first);
        let free = (0..count).step_by(BLOCK as usize).map(block).collect();
        Self { taken, selection, order, covers: vec![0; count as usize], free, count }
    }

    /// Takes the nodes of an entry, once more.
    pub(super) fn take(&mut self, entry: usize) {
        for range in self.taken[entry].ranks.ranges() {
            for rank in self.selection.ranks(range) {
                let covers = &mut self.covers[rank as usize];
                *covers += 1;
                if *covers == 1 {
                    let block = &mut self.free[(rank / BLOCK) as usize];
                    *block = *block - node(self.order, rank);
                    self.count -= 1;
                }
            }
        }
    }

    /// Gives back the nodes of an entry that was taken.
    pub(super) fn give_back(&mut self, entry: usize) {
        for range in self.taken[entry].ranks.ranges() {
            for rank in self.selection.ranks(range) {
                let covers = &mut self.covers[rank as usize];
                *covers -= 1;
                if *covers == 0 {
                    let block = &mut self.free[(rank / BLOCK) as usize];
                    *block = *block + node(self.order, rank);
                    self.count += 1;
                }
            }
        }
    }

    /// How many nodes are free.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// The sums over the first `count` free nodes; there must be as many.
    pub(super) fn first(&self, count: u32) -> Totals {
        let (mut sums, mut rank) = (Totals::default(), 0);
        for block in &self.free {
            if sums.nodes + block.nodes > count {
                break;
            }
            sums = sums + *block;
            rank += BLOCK;
        }
        while sums.nodes < count {
            if self.covers[rank as usize] == 0 {
                sums = sums + node(self.order, rank);
            }
            rank += 1;
        }
        sums
    }

    /// The first `count` nodes that none of `entries` takes, whatever is taken now, or all where there
    /// are fewer. `O(nodes / 8 + ranges of the entries)` and the nodes up to the last one found.
    pub(super) fn first_outside(
        &self,
        entries: impl Iterator<Item = usize>,
        count: u32,
    ) -> NodeSet {
        let mut outside = vec![true; self.selection.book_count() as usize];
        for entry in entries {
            for range in self.taken[entry].ranks.ranges() {
                outside[range.start as usize..range.end as usize].fill(false);
            }
        }
        let is_outside = |&rank: &u32| outside[self.selection.book_rank(rank) as usize];
        let found = (0..self.order.count()).filter(is_outside).take(count as usize);
        NodeSet::from_positions(found)
    }
}

/// One node's share.
fn node(order: &NodeOrder, rank: u32) -> Totals {
    order.before(rank + 1) - order.before(rank)
}
