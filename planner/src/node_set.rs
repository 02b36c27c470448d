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

    /// The nodes in either. `O(k + l)`.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (mut ours, mut theirs) = (self.ranges.as_slice(), other.ranges.as_slice());
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(ours.len() + theirs.len());
        loop {
            let next = match (ours.split_first(), theirs.split_first()) {
                (Some((a, rest)), Some((b, _))) if a.start <= b.start => {
                    ours = rest;
                    a
                }
                (_, Some((b, rest))) => {
                    theirs = rest;
                    b
                }
                (Some((a, rest)), None) => {
                    ours = rest;
                    a
                }
                (None, None) => return Self { ranges },
            };
            match ranges.last_mut() {
                Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
                _ => ranges.push(next.clone()),
            }
        }
    }

    /// The nodes in both. `O(k + l)`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut ranges = Vec::new();
        while let (Some(a), Some(b)) = (self.ranges.get(i), other.ranges.get(j)) {
            let shared = a.start.max(b.start)..a.end.min(b.end);
            if shared.start < shared.end {
                ranges.push(shared);
            }
            if a.end <= b.end { i += 1 } else { j += 1 }
        }
        Self { ranges }
    }

    /// The nodes in this set and not in `other`. `O(k + l)`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + other.ranges.len());
        let mut removed = other.ranges.iter().peekable();
        for range in &self.ranges {
            let mut start = range.start;
            while let Some(hole) = removed.peek() {
                if hole.start >= range.end {
                    break;
                }
                if start < hole.start {
                    ranges.push(start..hole.start);
                }
                start = start.max(hole.end);
                if hole.end > range.end {
                    break;
                }
                removed.next();
            }
            if start < range.end {
                ranges.push(start..range.end);
            }
        }
        Self { ranges }
    }

    /// The `count` lowest positions; `None` when there are fewer. `O(k)`.
    pub fn lowest(&self, count: u32) -> Option<Self> {
        let mut missing = count;
        let mut ranges = Vec::new();
        for range in &self.ranges {
            if missing == 0 {
                break;
            }
            let taken = missing.min(range.end - range.start);
            ranges.push(range.start..range.start + taken);
            missing -= taken;
        }
        (missing == 0).then_some(Self { ranges })
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
        ) {
            let (a, b) = (NodeSet::from_positions(left.clone()), NodeSet::from_positions(right.clone()));
            prop_assert_eq!(a.positions().collect::<BTreeSet<_>>(), left.clone());
            prop_assert_eq!(a.count() as usize, left.len());
            prop_assert_eq!(a.intersects(&b), left.intersection(&right).next().is_some());
            prop_assert!((0..60).all(|p| a.contains(p) == left.contains(&p)));
            let both = [a.ranges(), b.ranges()].concat();
            let union = NodeSet::from_positions(left.union(&right).copied());
            prop_assert_eq!(NodeSet::from_ranges(both), union.clone());
            prop_assert_eq!(a.union(&b), union);
            let shared = NodeSet::from_positions(left.intersection(&right).copied());
            prop_assert_eq!(a.intersection(&b), shared);
            let rest = NodeSet::from_positions(left.difference(&right).copied());
            prop_assert_eq!(a.difference(&b), rest);
            let lowest = NodeSet::from_positions(left.iter().copied().take(right.len()));
            let enough = left.len() >= right.len();
            let count = u32::try_from(right.len()).unwrap();
            prop_assert_eq!(a.lowest(count), enough.then_some(lowest));
        }
    }
}
