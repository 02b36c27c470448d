//! The nodes on which something changed last, in that order.

use std::ops::Range;

use crate::dispatch::free::UnitsOnNode;

/// Counting on all nodes anew is as fast as following that part of as many changes.
const PART: u32 = 2;

/// The last changes: as many as are worth following.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// By change, counted on from the beginning once more when it is full.
    nodes: Vec<u32>,
    count: u64,
}

impl Changes {
    /// How many there ever were.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// These nodes of so many changed.
    pub fn add(&mut self, nodes: u32, places: &[UnitsOnNode]) {
        self.nodes.resize(nodes.div_ceil(PART) as usize, 0);
        for place in places {
            let at = self.place(self.count);
            self.nodes[at] = place.node;
            self.count += 1;
        }
    }

    /// Those after so many, where they are worth following.
    pub fn since(&self, seen: u64) -> Option<Range<u64>> {
        (self.count - seen <= self.nodes.len() as u64).then_some(seen..self.count)
    }

    /// Where a change was.
    pub fn node(&self, change: u64) -> u32 {
        self.nodes[self.place(change)]
    }

    #[expect(clippy::cast_possible_truncation, reason = "no more than there are places")]
    const fn place(&self, change: u64) -> usize {
        (change % self.nodes.len() as u64) as usize
    }
}
