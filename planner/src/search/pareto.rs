//! The Pareto front over (energy, cost, CO2, delay).
//!
//! Starts come in time order, so delay never falls: a start is on the front exactly when no earlier
//! start is at most equal to it in the three criteria, and none at the same instant beats it.

use std::collections::BTreeMap;

use super::Feasible;

/// The positions in `starts`, which are in time order, of those on the front, in the same order.
///
/// `O(c log c log e)` for `c` starts with `e` different energies: `O(c log c)` where the same nodes
/// are free at all of them, never worse than the `O(c log^2 c)` of Kung, Luccio and Preparata ("On
/// finding the maxima of a set of vectors", JACM 22(4), 1975), the best known for four criteria
/// without word tricks.
pub(super) fn front(starts: &[Feasible]) -> Vec<usize> {
    let mut stairs = Stairs::new(starts);
    let mut on_front = Vec::new();
    let mut simultaneous: Vec<usize> = Vec::new();
    for group in starts.chunk_by(|left, right| left.span.start() == right.span.start()) {
        let first = simultaneous_first(starts, group);
        simultaneous.clear();
        simultaneous.extend(first..first + group.len());
        // In this order no start is beaten by a later one of the same instant.
        simultaneous.sort_by_key(|&index| starts[index].amounts);
        let mut last: Option<([i128; 3], bool)> = None;
        for &index in &simultaneous {
            let amounts = starts[index].amounts;
            // Equals at the same instant do not beat each other.
            let admitted = match last {
                Some((equal, admitted)) if equal == amounts => admitted,
                _ => stairs.admit(amounts),
            };
            last = Some((amounts, admitted));
            if admitted {
                on_front.push(index);
            }
        }
    }
    on_front.sort_unstable();
    on_front
}

/// The position of a group in the slice it is part of.
fn simultaneous_first(starts: &[Feasible], group: &[Feasible]) -> usize {
    (group.as_ptr().addr() - starts.as_ptr().addr()) / size_of::<Feasible>()
}

/// For each cost the CO2 below which a start is new: CO2 falls as cost grows.
#[derive(Clone, Default)]
struct Stair(BTreeMap<i128, i128>);

impl Stair {
    fn matches(&self, cost: i128, co2: i128) -> bool {
        self.0.range(..=cost).next_back().is_some_and(|(_, &least)| least <= co2)
    }

    fn add(&mut self, cost: i128, co2: i128) {
        if self.matches(cost, co2) {
            return;
        }
        while let Some((&above, _)) = self.0.range(cost..).next().filter(|(_, it)| **it >= co2) {
            self.0.remove(&above);
        }
        self.0.insert(cost, co2);
    }
}

/// The starts so far, by energy: a Fenwick tree (Software: Practice and Experience 24, 1994) whose
/// nodes hold the stair of the energies they stand for.
struct Stairs {
    energies: Vec<i128>,
    tree: Vec<Stair>,
}

impl Stairs {
    fn new(starts: &[Feasible]) -> Self {
        let mut energies: Vec<i128> = starts.iter().map(|start| start.amounts[0]).collect();
        energies.sort_unstable();
        energies.dedup();
        let tree = vec![Stair::default(); energies.len() + 1];
        Self { energies, tree }
    }

    /// Whether nothing so far is at most equal in all three; if so, it counts from now on.
    fn admit(&mut self, [energy, cost, co2]: [i128; 3]) -> bool {
        let place = self.energies.partition_point(|&other| other <= energy);
        let mut node = place;
        while node > 0 {
            if self.tree[node].matches(cost, co2) {
                return false;
            }
            node &= node - 1;
        }
        let mut node = place;
        while node < self.tree.len() {
            self.tree[node].add(cost, co2);
            node += node & node.wrapping_neg();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::{Seconds, Span, Timestamp};

    fn start(at: i64, amounts: [i128; 3]) -> Feasible {
        let start = Timestamp::from_unix_seconds(at);
        let span = Span::starting(start, Seconds::ONE).unwrap();
        Feasible { span, shape: 0, amounts, state: 0 }
    }

    /// B (2,2,2) is beaten by A (1,1,1); C (1,1,1) again is later than A; D is cleaner than A.
    #[test]
    fn a_start_is_matched_by_an_earlier_one_that_is_at_most_equal_in_all() {
        let [a, b, c, d] = [[1, 1, 1], [2, 2, 2], [1, 1, 1], [3, 3, 0]];
        let at = |order: [[i128; 3]; 4]| {
            let starts: Vec<Feasible> = (0..).zip(order).map(|(at, it)| start(at, it)).collect();
            front(&starts)
        };
        assert_eq!(at([a, b, c, d]), [0, 3]);
        assert_eq!(at([b, a, d, c]), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn is_what_brute_force_says(
            starts in prop::collection::vec((0_i64..6, [0_i128..4, 0..4, 0..4]), 0..30),
        ) {
            let mut starts: Vec<Feasible> =
                starts.into_iter().map(|(at, amounts)| start(at, amounts)).collect();
            starts.sort_by_key(|it| it.span);
            let beats = |left: &Feasible, right: &Feasible| {
                let no_worse = (0..3).all(|i| left.amounts[i] <= right.amounts[i]);
                let equal = (left.span, left.amounts) == (right.span, right.amounts);
                left.span <= right.span && no_worse && !equal
            };
            let expected: Vec<usize> = (0..starts.len())
                .filter(|&it| !starts.iter().any(|other| beats(other, &starts[it])))
                .collect();
            prop_assert_eq!(front(&starts), expected);
        }
    }
}
