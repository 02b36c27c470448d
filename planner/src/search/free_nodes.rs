//! Which nodes are free while bookings come and go, without looking at single nodes.
//!
//! The edges of all booked ranges near the window cut the ranks into cells. A segment tree over the
//! cells counts the bookings that cover each part and sums what is free below: its nodes, their
//! draw and their maximum power. A booking is always taken out over the same parts it was put in, so
//! covers need not be pushed down (the structure known from the area of a union of rectangles).
//!
//! Costs, for `k` booked ranges near the window: `O(k log k)` to build, `O(log k)` to put in or take
//! out a range and to find the first `n` free nodes, whatever the number of nodes.

use std::ops::Range;

use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Totals};

/// The cells and who covers them.
pub(crate) struct FreeNodes<'a> {
    order: &'a NodeOrder,
    /// Rank at which each cell starts; the last is the number of nodes.
    edges: Vec<u32>,
    /// Sums over all ranks before each edge.
    before: Vec<Totals>,
    /// The first leaf's index: a power of two.
    leaves: usize,
    covers: Vec<u32>,
    free: Vec<Totals>,
}

/// A booked range as cells.
pub(crate) type Cells = Range<u32>;

impl<'a> FreeNodes<'a> {
    /// All nodes free, cut at the edges of `ranges`, and these ranges as cells.
    pub(crate) fn new(
        order: &'a NodeOrder,
        ranges: impl Iterator<Item = Range<u32>>,
    ) -> (Self, Vec<Cells>) {
        // Rank above, place below: one sort finds the cells and where each edge belongs.
        let mut places: Vec<u64> = Vec::new();
        for (place, rank) in (0_u64..).zip(ranges.flat_map(|range| [range.start, range.end])) {
            places.push(u64::from(rank) << 32 | place);
        }
        places.sort_unstable();
        let mut edges = vec![0];
        let mut cells = vec![0..0; places.len() / 2];
        for key in places {
            #[expect(clippy::cast_possible_truncation, reason = "takes the halves apart")]
            let (rank, place) = ((key >> 32) as u32, key as u32);
            if edges[edges.len() - 1] != rank {
                edges.push(rank);
            }
            let cell = index(edges.len() - 1);
            let range: &mut Cells = &mut cells[place as usize / 2];
            if place.is_multiple_of(2) { range.start = cell } else { range.end = cell }
        }
        if edges[edges.len() - 1] != order.count() {
            edges.push(order.count());
        }
        (Self::uncovered(order, edges), cells)
    }

    fn uncovered(order: &'a NodeOrder, edges: Vec<u32>) -> Self {
        let before: Vec<Totals> = edges.iter().map(|&rank| order.before(rank)).collect();
        let cells = edges.len() - 1;
        let leaves = cells.next_power_of_two();
        let mut free = vec![Totals::default(); 2 * leaves];
        for cell in 0..cells {
            free[leaves + cell] = before[cell + 1] - before[cell];
        }
        for part in (1..leaves).rev() {
            free[part] = free[2 * part] + free[2 * part + 1];
        }
        Self { order, edges, before, leaves, covers: vec![0; 2 * leaves], free }
    }

    /// Takes cells that were free or taken, once more.
    pub(crate) fn take(&mut self, cells: &Cells) {
        self.for_each_part(cells, |covers| *covers += 1);
    }

    /// Gives back cells that were taken.
    pub(crate) fn give_back(&mut self, cells: &Cells) {
        self.for_each_part(cells, |covers| *covers -= 1);
    }

    /// Changes the covers of the parts that make up `cells`, then what is free above them.
    fn for_each_part(&mut self, cells: &Cells, change: impl Fn(&mut u32)) {
        let (mut left, mut right) =
            (self.leaves + cells.start as usize, self.leaves + cells.end as usize);
        let (first, last) = (left, right - 1);
        while left < right {
            if left % 2 == 1 {
                change(&mut self.covers[left]);
                self.free[left] = self.free_below(left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                change(&mut self.covers[right]);
                self.free[right] = self.free_below(right);
            }
            left /= 2;
            right /= 2;
        }
        self.update_above(first, last);
    }

    /// Every part that changed lies on a path from one of the two leaves to the root.
    fn update_above(&mut self, mut first: usize, mut last: usize) {
        while first > 1 {
            first /= 2;
            last /= 2;
            self.free[first] = self.free_below(first);
            if last != first {
                self.free[last] = self.free_below(last);
            }
        }
    }

    fn free_below(&self, part: usize) -> Totals {
        if self.covers[part] > 0 {
            Totals::default()
        } else if part < self.leaves {
            self.free[2 * part] + self.free[2 * part + 1]
        } else {
            // Leaves beyond the last cell are never covered, so this one has an end.
            self.before[part - self.leaves + 1] - self.before[part - self.leaves]
        }
    }

    /// What cells amount to, free or not.
    pub(crate) fn totals(&self, cells: &Cells) -> Totals {
        self.before[cells.end as usize] - self.before[cells.start as usize]
    }

    /// How many nodes are free.
    pub(crate) fn count(&self) -> u32 {
        self.free[1].nodes
    }

    /// The sums over the first `count` free nodes; there must be as many.
    pub(crate) fn first(&self, count: u32) -> Totals {
        let (mut part, mut left, mut sums) = (1, count, Totals::default());
        while part < self.leaves {
            let lower = self.free[2 * part];
            if lower.nodes >= left {
                part *= 2;
            } else {
                left -= lower.nodes;
                sums = sums + lower;
                part = 2 * part + 1;
            }
        }
        let start = self.edges[part - self.leaves];
        sums + (self.order.before(start + left) - self.order.before(start))
    }

    /// The first `count` nodes that none of `taken` covers, whatever is taken now; there must be
    /// as many. `O(cells)`.
    pub(crate) fn first_outside<'c>(
        &self,
        taken: impl Iterator<Item = &'c Cells>,
        count: u32,
    ) -> NodeSet {
        // How many more cover a cell than the one before it.
        let mut change = vec![0_i32; self.edges.len()];
        for cells in taken {
            change[cells.start as usize] += 1;
            change[cells.end as usize] -= 1;
        }
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let (mut covers, mut left) = (0, count);
        for (cell, change) in change.into_iter().enumerate() {
            covers += change;
            if left == 0 || cell + 1 == self.edges.len() {
                break;
            }
            if covers > 0 {
                continue;
            }
            let start = self.edges[cell];
            let taken = left.min(self.edges[cell + 1] - start);
            left -= taken;
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end += taken,
                _ => ranges.push(start..start + taken),
            }
        }
        NodeSet::from_sorted(ranges)
    }
}

/// Cells are at most two for each booked range, and ranges fit a quarter of the address space.
fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decimal::Fraction;
    use crate::node::{Node, Nodes};
    use crate::order::Preference;
    use crate::quantity::Power;

    fn order(count: u32) -> NodeOrder {
        let node =
            |max: i64| Node::new(Power::ZERO, Power::from_microwatts(max * max), None).unwrap();
        let nodes = Nodes::numbered((0..i64::from(count)).map(node).collect()).unwrap();
        NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE)
    }

    proptest! {
        /// Ranges come and go; after each step the tree says what counting says.
        #[test]
        fn agrees_with_counting(
            ranges in prop::collection::vec((0_u32..50, 1_u32..20), 0..12),
            steps in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let order = order(60);
            let ranges: Vec<Range<u32>> =
                ranges.iter().map(|&(start, length)| start..(start + length).min(60)).collect();
            let (mut tree, cells) = FreeNodes::new(&order, ranges.iter().cloned());
            let mut taken = vec![0_u32; ranges.len()];
            for step in steps.iter().filter(|_| !ranges.is_empty()) {
                let which = step.index(ranges.len());
                if taken[which] > 0 && step.index(3) == 0 {
                    tree.give_back(&cells[which]);
                    taken[which] -= 1;
                } else {
                    tree.take(&cells[which]);
                    taken[which] += 1;
                }
                let covered = |rank: u32| {
                    (0..ranges.len()).any(|i| taken[i] > 0 && ranges[i].contains(&rank))
                };
                let free: Vec<u32> = (0..60).filter(|&rank| !covered(rank)).collect();
                prop_assert_eq!(tree.count() as usize, free.len());
                for count in 1..=tree.count() {
                    let set = NodeSet::from_positions(free[..count as usize].iter().copied());
                    let now = (0..ranges.len()).filter(|&i| taken[i] > 0).map(|i| &cells[i]);
                    prop_assert_eq!(tree.first_outside(now, count), set.clone());
                    let sums = tree.first(count);
                    prop_assert_eq!(sums.nodes, count);
                    prop_assert_eq!(sums.draw, order.draw(&set));
                    prop_assert_eq!(sums.counted, order.max_power(&set));
                }
            }
        }
    }
}
