//! Which nodes are free while bookings come and go, without looking at single nodes.
//!
//! The edges of all booked ranges near the window cut the ranks into cells. A tree over the cells,
//! wide so that it is shallow, counts the bookings that cover each part and sums what is free below:
//! its nodes, their draw and what they count against the cap. A booking is always taken out over the
//! same parts it was put in, so covers need not be pushed down (the structure known from the area of
//! a union of rectangles).
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
    /// The cells, and above each level the groups of [`WIDTH`] of its parts, up to one group.
    levels: Vec<Vec<Part>>,
    free: Totals,
}

/// A cell or a group of parts.
#[derive(Clone, Copy, Default)]
struct Part {
    /// How many bookings cover all of it.
    covers: u32,
    /// What is free in it, these aside.
    below: Totals,
}

/// How many parts make a group.
const WIDTH: usize = 16;

/// A booked range as cells.
pub(crate) type Cells = Range<u32>;

/// Who covers which cells, to find nodes where sums are of no interest: for each cell how many more cover
/// it than the one before it.
#[derive(Default)]
pub(crate) struct Covers(Vec<i32>);

impl Covers {
    /// Covers cells once more.
    pub(crate) fn add(&mut self, cells: &Cells) {
        self.0[cells.start as usize] += 1;
        self.0[cells.end as usize] -= 1;
    }

    /// Takes a cover from cells.
    pub(crate) fn remove(&mut self, cells: &Cells) {
        self.0[cells.start as usize] -= 1;
        self.0[cells.end as usize] += 1;
    }
}

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
        let part = |below| Part { covers: 0, below };
        let mut parts: Vec<Part> =
            before.windows(2).map(|edges| part(edges[1] - edges[0])).collect();
        let mut levels = Vec::new();
        while parts.len() > WIDTH {
            let group = |parts: &[Part]| part(parts.iter().map(|part| part.below).sum());
            let groups = parts.chunks(WIDTH).map(group).collect();
            levels.push(std::mem::replace(&mut parts, groups));
        }
        levels.push(parts);
        Self { order, edges, before, levels, free: order.before(order.count()) }
    }

    /// Takes cells that were free or taken, once more.
    pub(crate) fn take(&mut self, cells: &Cells) {
        self.for_each_group(cells, Self::cover);
    }

    /// Gives back cells that were taken.
    pub(crate) fn give_back(&mut self, cells: &Cells) {
        self.for_each_group(cells, Self::uncover);
    }

    /// Changes the parts that make up `cells`: on each level those that fill no group.
    fn for_each_group(&mut self, cells: &Cells, change: impl Fn(&mut Self, usize, Range<usize>)) {
        let (mut left, mut right) = (cells.start as usize, cells.end as usize);
        for level in 0..self.levels.len() {
            let (inner_left, inner_right) = (left.next_multiple_of(WIDTH), right / WIDTH * WIDTH);
            if level + 1 == self.levels.len() || inner_left >= inner_right {
                // All in one group, or in two that touch.
                let middle = inner_left.clamp(left, right);
                change(self, level, left..middle);
                change(self, level, middle..right);
                return;
            }
            change(self, level, left..inner_left);
            change(self, level, inner_right..right);
            (left, right) = (inner_left / WIDTH, inner_right / WIDTH);
        }
    }

    /// Covers parts of one group once more.
    fn cover(&mut self, level: usize, parts: Range<usize>) {
        let group = parts.start / WIDTH;
        let mut taken = Totals::default();
        for part in &mut self.levels[level][parts] {
            if part.covers == 0 {
                taken = taken + part.below;
            }
            part.covers += 1;
        }
        self.change_above(level, group, taken, |below, taken| below - taken);
    }

    /// Takes a cover from parts of one group.
    fn uncover(&mut self, level: usize, parts: Range<usize>) {
        let group = parts.start / WIDTH;
        let mut given = Totals::default();
        for part in &mut self.levels[level][parts] {
            part.covers -= 1;
            if part.covers == 0 {
                given = given + part.below;
            }
        }
        self.change_above(level, group, given, |below, given| below + given);
    }

    /// Adds to or takes from what is free in the groups above, up to one that is covered.
    fn change_above(
        &mut self,
        level: usize,
        mut group: usize,
        by: Totals,
        change: impl Fn(Totals, Totals) -> Totals,
    ) {
        if by.nodes == 0 {
            return;
        }
        for parts in &mut self.levels[level + 1..] {
            let part = &mut parts[group];
            part.below = change(part.below, by);
            if part.covers > 0 {
                return;
            }
            group /= WIDTH;
        }
        self.free = change(self.free, by);
    }

    /// What cells amount to, free or not.
    pub(crate) fn totals(&self, cells: &Cells) -> Totals {
        self.before[cells.end as usize] - self.before[cells.start as usize]
    }

    /// How many nodes are free.
    pub(crate) const fn count(&self) -> u32 {
        self.free.nodes
    }

    /// The sums over the first `count` free nodes; there must be as many.
    pub(crate) fn first(&self, count: u32) -> Totals {
        let (mut sums, mut group) = (Totals::default(), 0);
        for parts in self.levels.iter().rev() {
            let mut part = group * WIDTH;
            while parts[part].covers > 0 || sums.nodes + parts[part].below.nodes < count {
                if parts[part].covers == 0 {
                    sums = sums + parts[part].below;
                }
                part += 1;
            }
            group = part;
        }
        let start = self.edges[group];
        let left = count - sums.nodes;
        sums + (self.order.before(start + left) - self.order.before(start))
    }

    /// Covers of these cells, none to begin with.
    pub(crate) fn no_covers(&self) -> Covers {
        Covers(vec![0; self.edges.len()])
    }

    /// The first `count` nodes without a cover, whatever is taken now, or all where there are fewer. `O(cells)`
    /// up to the last one found.
    pub(crate) fn first_uncovered(&self, covers: &Covers, count: u32) -> NodeSet {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let (Covers(changes), mut covers, mut left) = (covers, 0, count);
        for (cell, change) in changes.iter().enumerate() {
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

    /// Ranges come and go; after each step the tree says what counting says.
    fn agrees(nodes: u32, ranges: &[(u32, u32)], steps: &[prop::sample::Index], stride: usize) {
        let order = order(nodes);
        let range =
            |&(start, length): &(u32, u32)| start % nodes..(start % nodes + length).min(nodes);
        let ranges: Vec<Range<u32>> = ranges.iter().map(range).collect();
        let (mut tree, cells) = FreeNodes::new(&order, ranges.iter().cloned());
        let mut counted = tree.no_covers();
        let mut taken = vec![0_u32; ranges.len()];
        let mut covers = vec![0_u32; nodes as usize];
        for step in steps.iter().filter(|_| !ranges.is_empty()) {
            let which = step.index(ranges.len());
            let covered = &mut covers[ranges[which].start as usize..ranges[which].end as usize];
            if taken[which] > 0 && step.index(3) == 0 {
                tree.give_back(&cells[which]);
                counted.remove(&cells[which]);
                for covers in covered {
                    *covers -= 1;
                }
                taken[which] -= 1;
            } else {
                tree.take(&cells[which]);
                counted.add(&cells[which]);
                for covers in covered {
                    *covers += 1;
                }
                taken[which] += 1;
            }
            let free: Vec<u32> = (0..nodes).filter(|&rank| covers[rank as usize] == 0).collect();
            assert_eq!(tree.count() as usize, free.len());
            for count in (1..=tree.count()).step_by(stride) {
                let set = NodeSet::from_positions(free[..count as usize].iter().copied());
                assert_eq!(tree.first_uncovered(&counted, count), set);
                let sums = tree.first(count);
                assert_eq!(sums, order.totals(&set));
                assert_eq!(sums.nodes, count);
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_counting(
            ranges in prop::collection::vec((0_u32..50, 1_u32..20), 0..12),
            steps in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            agrees(60, &ranges, &steps, 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Enough cells for groups of groups of groups.
        #[test]
        fn agrees_with_counting_on_many_cells(
            ranges in prop::collection::vec((any::<u32>(), 1_u32..3_000), 200..4_000),
            steps in prop::collection::vec(any::<prop::sample::Index>(), 60),
        ) {
            agrees(20_000, &ranges, &steps, 997);
        }
    }
}
