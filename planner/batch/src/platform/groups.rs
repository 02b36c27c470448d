//! Groups of machines that are near each other: those on one switch.

use std::collections::BTreeMap;
use std::ops::Range;

use planner::node_set::NodeSet;

/// Groups that share no machine and have all of them. A group need not be a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Ranges of machines with the number of their group, in the order of the machines.
    pieces: Vec<(Range<u32>, usize)>,
    /// Machines of each group, in the order of the groups' first machines.
    sizes: Vec<u32>,
}

impl Groups {
    /// Machines by the name of their group, machine 0 first.
    pub fn of<T: Ord>(names: impl Iterator<Item = T>) -> Self {
        let (mut pieces, mut sizes) = (Vec::<(Range<u32>, usize)>::new(), Vec::new());
        let mut numbers = BTreeMap::new();
        for (machine, name) in (0..).zip(names) {
            let number = *numbers.entry(name).or_insert(sizes.len());
            if number == sizes.len() {
                sizes.push(0);
            }
            sizes[number] += 1;
            match pieces.last_mut() {
                Some((range, last)) if *last == number => range.end = machine + 1,
                _ => pieces.push((machine..machine + 1, number)),
            }
        }
        Self { pieces, sizes }
    }

    /// So many machines in groups of `size`, in order; the last may have fewer.
    pub fn of_size(machines: u32, size: u32) -> Self {
        let ends = (0..machines).step_by(size as usize).map(|first| {
            let end = first.saturating_add(size).min(machines);
            first..end
        });
        let pieces: Vec<(Range<u32>, usize)> = ends.zip(0..).collect();
        let sizes = pieces.iter().map(|(range, _)| range.end - range.start).collect();
        Self { pieces, sizes }
    }

    /// Machines of the largest.
    pub fn widest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The number of groups.
    pub const fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The lowest `nodes` machines of the first group of which so many are in `free`. One step a range
    /// of either.
    pub fn lowest(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        let mut counts = vec![0; self.sizes.len()];
        self.shared(free, |number, part| counts[number] += part.end - part.start);
        let first = counts.iter().position(|count| *count >= nodes)?;
        let mut machines = Vec::new();
        self.shared(free, |number, part| {
            if number == first {
                machines.push(part);
            }
        });
        NodeSet::from_ranges(machines).lowest(nodes)
    }

    /// The ranges of `free`, cut where groups end.
    fn shared(&self, free: &NodeSet, mut part: impl FnMut(usize, Range<u32>)) {
        let mut pieces = self.pieces.as_slice();
        for range in free.ranges() {
            let over = pieces.partition_point(|(piece, _)| piece.end <= range.start);
            pieces = &pieces[over..];
            for (piece, number) in pieces.iter().take_while(|(piece, _)| piece.start < range.end) {
                part(*number, piece.start.max(range.start)..piece.end.min(range.end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Machines 0, 1 and 5 are on switch `b`, 2 to 4 on `a`. Of 1, 3, 4 and 5 two are free on either: `b` has the
    /// lower first machine. Three are free on `a` only with machine 2.
    #[test]
    fn the_first_group_with_room_is_taken() {
        let groups = Groups::of(["b", "b", "a", "a", "a", "b"].into_iter());
        let set = |positions: &[u32]| NodeSet::from_positions(positions.iter().copied());
        assert_eq!(groups.lowest(&set(&[1, 3, 4, 5]), 2), Some(set(&[1, 5])));
        assert_eq!(groups.lowest(&set(&[1, 3, 4]), 2), Some(set(&[3, 4])));
        assert_eq!(groups.lowest(&set(&[1, 3, 4, 5]), 3), None);
        assert_eq!(groups.lowest(&set(&[0, 2, 3, 4]), 3), Some(set(&[2, 3, 4])));
        assert_eq!((groups.widest(), groups.count()), (3, 2));
    }

    #[test]
    fn groups_of_a_size_end_with_the_rest() {
        let groups = Groups::of_size(5, 2);
        assert_eq!(groups, Groups::of([0, 0, 1, 1, 2].into_iter()));
        assert_eq!(Groups::of_size(5, 100), Groups::of([0; 5].into_iter()));
        assert_eq!(Groups::of_size(u32::MAX, u32::MAX).widest(), u32::MAX);
    }
}
