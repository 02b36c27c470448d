//! Sets of machines as bits: for schedulers that ask much of sets and change them in place.

use std::ops::Range;

use planner::node_set::NodeSet;

/// A set of machines of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// No machine of so many.
    pub fn none(machines: u32) -> Self {
        Self(vec![0; machines.div_ceil(64) as usize])
    }

    /// All machines of so many.
    pub fn all(machines: u32) -> Self {
        let mut all = Self(vec![u64::MAX; machines.div_ceil(64) as usize]);
        let last = machines % 64;
        if let Some(word) = all.0.last_mut().filter(|_| last > 0) {
            *word = (1 << last) - 1;
        }
        all
    }

    /// These machines of so many.
    pub fn of(machines: u32, set: &NodeSet) -> Self {
        let mut bits = Self::none(machines);
        bits.add_set(set);
        bits
    }

    /// These machines of the same cluster.
    #[must_use]
    pub fn same_cluster(&self, set: &NodeSet) -> Self {
        let mut bits = Self(vec![0; self.0.len()]);
        bits.add_set(set);
        bits
    }

    /// The members as ranges.
    pub fn to_set(&self) -> NodeSet {
        let mut ranges = Vec::new();
        (0..).zip(&self.0).for_each(|(index, word)| add_ranges(index, *word, &mut ranges));
        NodeSet::from_ranges(ranges)
    }

    /// The machines in order.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        positions_of(self.0.iter().copied())
    }

    /// The bits, 64 machines to a word.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The number of members.
    pub fn count(&self) -> u32 {
        // Counting the bits of a word costs ten times as much as looking whether there are any.
        let some = self.0.iter().filter(|word| **word != 0);
        some.map(|word| if *word == u64::MAX { 64 } else { word.count_ones() }).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many are in both.
    pub fn common(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Takes others away.
    pub fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// How many are in both.
    pub fn common_with_set(&self, set: &NodeSet) -> u32 {
        masks(set).map(|(word, mask)| (self.0[word] & mask).count_ones()).sum()
    }

    /// Adds others.
    pub fn add_set(&mut self, set: &NodeSet) {
        masks(set).for_each(|(word, mask)| self.0[word] |= mask);
    }

    /// Takes others away.
    pub fn remove_set(&mut self, set: &NodeSet) {
        masks(set).for_each(|(word, mask)| self.0[word] &= !mask);
    }

    /// Adds one machine.
    pub fn insert(&mut self, machine: u32) {
        self.0[(machine / 64) as usize] |= 1 << (machine % 64);
    }

    /// Takes one machine away.
    pub fn exclude(&mut self, machine: u32) {
        self.0[(machine / 64) as usize] &= !(1 << (machine % 64));
    }

    /// Those in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Those in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// The `count` lowest; all where there are fewer.
    #[must_use]
    pub fn lowest(&self, count: u32) -> Self {
        let mut lowest = vec![0; self.0.len()];
        self.each_lowest(count, |word, bits| lowest[word as usize] = bits);
        Self(lowest)
    }

    /// The `count` lowest, where there are so many.
    pub fn lowest_if_enough(&self, count: u32) -> Option<NodeSet> {
        let mut lowest = Vec::new();
        let missing = self.each_lowest(count, |word, bits| add_ranges(word, bits, &mut lowest));
        (missing == 0).then(|| NodeSet::from_ranges(lowest))
    }

    /// The `count` lowest, word for word; how many are missing to that.
    fn each_lowest(&self, count: u32, mut each: impl FnMut(u32, u64)) -> u32 {
        let mut missing = count;
        for (index, &word) in (0..).zip(&self.0) {
            if missing == 0 {
                break;
            }
            // Most words of a large cluster have all machines or none.
            let there = match word {
                0 => continue,
                u64::MAX => 64,
                some => some.count_ones(),
            };
            if there <= missing {
                missing -= there;
                each(index, word);
                continue;
            }
            let mut rest = word;
            for _ in 0..missing {
                rest &= rest - 1;
            }
            missing = 0;
            each(index, word ^ rest);
        }
        missing
    }
}

/// The words that a set has machines in, and its bits there; a word that it comes back to is there again.
fn masks(set: &NodeSet) -> impl Iterator<Item = (usize, u64)> + '_ {
    set.ranges().iter().flat_map(|range| {
        let (first, last) = (range.start / 64, (range.end - 1) / 64);
        let (from, until) = (range.start % 64, (range.end - 1) % 64);
        (first..=last).map(move |word| {
            let from = if word == first { u64::MAX << from } else { u64::MAX };
            let until = if word == last { u64::MAX >> (63 - until) } else { u64::MAX };
            (word as usize, from & until)
        })
    })
}

/// Adds the machines of a word behind others.
fn add_ranges(index: u32, word: u64, ranges: &mut Vec<Range<u32>>) {
    let mut rest = word;
    while rest != 0 {
        let first = rest.trailing_zeros();
        let length = (rest >> first).trailing_ones();
        let start = 64 * index + first;
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = start + length,
            _ => ranges.push(start..start + length),
        }
        rest &= u64::MAX.checked_shl(first + length).unwrap_or(0);
    }
}

/// The machines of words of bits, in order.
pub fn positions_of(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    (0..).step_by(64).zip(words).flat_map(|(first, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(first + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Few of 150 machines, and many that are neighbours.
    fn positions() -> impl Strategy<Value = BTreeSet<u32>> {
        let few = prop::collection::btree_set(0_u32..150, 0..60);
        (few, 0_u32..150, 0_u32..150).prop_map(|(mut few, from, until)| {
            few.extend(from..until);
            few
        })
    }

    proptest! {
        #[test]
        fn behaves_as_a_set_of_positions(
            left in positions(),
            right in positions(),
            count in 0_u32..160,
        ) {
            let bits = |set: &BTreeSet<u32>| Bits::of(150, &NodeSet::from_positions(set.iter().copied()));
            let (a, b) = (bits(&left), bits(&right));
            let of = |bits: &Bits| bits.positions().collect::<BTreeSet<u32>>();
            prop_assert_eq!(of(&a), left.clone());
            prop_assert_eq!(a.count() as usize, left.len());
            prop_assert_eq!(a.is_empty(), left.is_empty());
            prop_assert_eq!(of(&a.and(&b)), &left & &right);
            prop_assert_eq!(of(&a.or(&b)), &left | &right);
            prop_assert_eq!(of(&a.without(&b)), &left - &right);
            prop_assert_eq!(a.common(&b) as usize, (&left & &right).len());
            let lowest: BTreeSet<u32> = left.iter().copied().take(count as usize).collect();
            prop_assert_eq!(of(&a.lowest(count)), lowest.clone());
            let enough = (lowest.len() == count as usize).then(|| NodeSet::from_positions(lowest));
            prop_assert_eq!(a.lowest_if_enough(count), enough);
            prop_assert_eq!(a.to_set(), NodeSet::from_positions(left.iter().copied()));
            let mut changed = a.clone();
            changed.add_set(&b.to_set());
            prop_assert_eq!(of(&changed), &left | &right);
            changed.remove_set(&a.to_set());
            prop_assert_eq!(of(&changed), &right - &left);
            prop_assert_eq!(a.common_with_set(&b.to_set()), a.common(&b));
            prop_assert_eq!(Bits::all(150).count(), 150);
        }
    }
}
