//! Sets of nodes as sorted ranges, so that a booking of half a million nodes is a handful of pairs.

use std::ops::Range;

/// A set of positions as sorted, disjoint, non-adjacent, non-empty half-open ranges.
///
/// What a position counts is the owner's business: input order in documents, rank in a
/// [`NodeOrder`](crate::order::NodeOrder) inside the search and in storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeSet {
    ranges: Vec<Range<u32>>,
}

impl NodeSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// The union of `ranges`, in any order, overlapping or not. `O(k log k)`.
    pub fn from_ranges(mut ranges: Vec<Range<u32>>) -> Self {
        ranges.retain(|range| range.start < range.end);
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, merged| {
            let joins = next.start <= merged.end;
            if joins {
                merged.end = merged.end.max(next.end);
            }
            joins
        });
        Self { ranges }
    }

    /// The set of ranges that are sorted, disjoint, non-adjacent and non-empty already.
    pub(crate) fn from_sorted(ranges: Vec<Range<u32>>) -> Self {
        debug_assert!(ranges.iter().all(|range| range.start < range.end));
        debug_assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
        Self { ranges }
    }

    /// The set of `positions`, in any order, repeated or not. `O(k log k)`.
    pub fn from_positions(positions: impl IntoIterator<Item = u32>) -> Self {
        let mut positions: Vec<u32> = positions.into_iter().collect();
        positions.sort_unstable();
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for position in positions {
            match ranges.last_mut() {
                Some(last) if position < last.end => {}
                Some(last) if position == last.end => last.end += 1,
                _ => ranges.push(position..position + 1),
            }
        }
        Self { ranges }
    }

    /// The ranges in order.
    pub fn ranges(&self) -> &[Range<u32>] {
        &self.ranges
    }

    /// How many nodes are in the set.
    pub fn count(&self) -> u32 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The positions in order.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(Clone::clone)
    }

    /// Whether `position` is in the set. `O(log k)`.
    pub fn contains(&self, position: u32) -> bool {
        let index = self.ranges.partition_point(|range| range.end <= position);
        self.ranges.get(index).is_some_and(|range| range.start <= position)
    }

    /// Whether the two share a node. `O(k + l)`.
    pub fn intersects(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = (self.ranges.iter(), other.ranges.iter());
        let (mut a, mut b) = (ours.next(), theirs.next());
        while let (Some(left), Some(right)) = (a, b) {
            if left.start < right.end && right.start < left.end {
                return true;
            }
            if left.end <= right.end { a = ours.next() } else { b = theirs.next() }
        }
        false
    }

    /// The nodes in either. `O(k + l)` and the sort.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::from_ranges([self.ranges.as_slice(), other.ranges.as_slice()].concat())
    }

    /// The first `count` positions below `size` that are not in the set; `None` if there are
    /// fewer. `O(k)`, however many nodes are taken.
    pub fn first_free(&self, count: u32, size: u32) -> Option<Self> {
        let mut left = count;
        let mut ranges = Vec::new();
        for gap in self.gaps(size) {
            if left == 0 {
                break;
            }
            let taken = left.min(gap.end - gap.start);
            ranges.push(gap.start..gap.start + taken);
            left -= taken;
        }
        (left == 0).then_some(Self { ranges })
    }

    /// The ranges below `size` that are not in the set.
    pub fn gaps(&self, size: u32) -> impl Iterator<Item = Range<u32>> + '_ {
        let starts = std::iter::once(0).chain(self.ranges.iter().map(|range| range.end));
        let ends = self.ranges.iter().map(|range| range.start).chain(std::iter::once(size));
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_as_a_set_of_positions(
            left in prop::collection::btree_set(0_u32..60, 0..40),
            right in prop::collection::btree_set(0_u32..60, 0..40),
            count in 0_u32..60,
        ) {
            let (a, b) = (NodeSet::from_positions(left.clone()), NodeSet::from_positions(right.clone()));
            prop_assert_eq!(a.positions().collect::<BTreeSet<_>>(), left.clone());
            prop_assert_eq!(a.count() as usize, left.len());
            prop_assert_eq!(a.intersects(&b), left.intersection(&right).next().is_some());
            let union: BTreeSet<_> = left.union(&right).copied().collect();
            prop_assert_eq!(a.union(&b), NodeSet::from_positions(union));
            let free: Vec<u32> = (0..60).filter(|p| !left.contains(p)).take(count as usize).collect();
            let expected = (free.len() == count as usize).then(|| NodeSet::from_positions(free));
            prop_assert_eq!(a.first_free(count, 60), expected);
            prop_assert!((0..60).all(|p| a.contains(p) == left.contains(&p)));
            prop_assert_eq!(NodeSet::from_ranges(a.ranges().to_vec()), a);
        }
    }
}
