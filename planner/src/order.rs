//! The order in which nodes are taken, with prefix sums over it.
//!
//! A *rank* is a position in the order, an *ordinal* a position in the input. Over ranks, "the n
//! least-drawing free nodes" are the first n free positions, and their draw and what they count
//! against the cap are differences of prefix sums: no query enumerates nodes. Building an order
//! costs a sort of the nodes, its sums take 24 bytes a node.

use std::iter::Sum;
use std::ops::{Add, Range, Sub};
use std::sync::OnceLock;

use crate::cap_scope::CapScope;
use crate::decimal::Fraction;
use crate::node::{MAX_NODES, Node, Nodes};
use crate::node_set::NodeSet;
use crate::quantity::Power;

/// Which free nodes are taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preference {
    /// The least-drawing, equal draws by ordinal (paper, section V).
    LeastDraw,
    /// The first in the input, whatever they draw (the baseline of section VI).
    FirstListed,
}

/// A permutation of nodes, of all or of those that a request may take, and what can be asked of it
/// in constant time.
#[derive(Clone, Debug)]
pub struct NodeOrder {
    ordinal_of_rank: Vec<u32>,
    /// By ordinal, [`NO_RANK`] for nodes that are not in the order; made when first asked for, since
    /// planning does not need it.
    rank_of_ordinal: OnceLock<Box<[u32]>>,
    /// How many ordinals there are.
    ordinals: usize,
    /// Draw and counted power of all ranks before each rank; one more than there are nodes.
    before: Vec<(Power, Power)>,
    /// Idle power of all ranks before each rank, where it counts.
    idle_before: Vec<Power>,
}

/// Stands for "not in the order".
pub(crate) const NO_RANK: u32 = u32::MAX;

/// What a set of nodes amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of nodes.
    pub nodes: u32,
    /// Expected mean power.
    pub draw: Power,
    /// What reserving them adds to what the cap is compared with: the sum of their maximum power,
    /// less their idle power where idle nodes count ([`CapScope`]).
    pub counted: Power,
}

impl Add for Totals {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            draw: self.draw + other.draw,
            counted: self.counted + other.counted,
        }
    }
}

impl Sum for Totals {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::default(), Add::add)
    }
}

impl Sub for Totals {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            nodes: self.nodes - other.nodes,
            draw: self.draw - other.draw,
            counted: self.counted - other.counted,
        }
    }
}

impl NodeOrder {
    /// Orders all `nodes` for an application of this utilisation; the cap is of reserved nodes.
    pub fn new(nodes: &Nodes, preference: Preference, utilisation: Fraction) -> Self {
        Self::of(nodes, preference, utilisation, CapScope::ReservedNodes, |_| true)
    }

    /// Orders those of `nodes` whose ordinal `admits` says may be taken.
    pub fn of(
        nodes: &Nodes,
        preference: Preference,
        utilisation: Fraction,
        scope: CapScope,
        admits: impl Fn(u32) -> bool,
    ) -> Self {
        let all = nodes.as_slice();
        let admitted = (0..nodes.count()).filter(|&ordinal| admits(ordinal));
        let drawn = admitted.map(|ordinal| (all[ordinal as usize].draw(utilisation), ordinal));
        let order = Self::preferring(preference, drawn, nodes.max_powers());
        if scope == CapScope::AllNodes { order.counting_idle(all) } else { order }
    }

    /// Orders those of `nodes` that have a slower state, by its position, and that `admits` says may be taken, by what
    /// they draw in it; their maximum power is that of the state.
    pub fn in_state(
        nodes: &Nodes,
        state: usize,
        utilisation: Fraction,
        scope: CapScope,
        admits: impl Fn(u32) -> bool,
    ) -> Self {
        let mut max_powers = nodes.max_powers().to_vec();
        let mut drawn = Vec::new();
        for ordinal in (0..nodes.count()).filter(|&ordinal| admits(ordinal)) {
            let Some(node) = nodes.in_state(state, ordinal) else { continue };
            max_powers[ordinal as usize] = node.max();
            drawn.push((node.draw(utilisation), ordinal));
        }
        let order = Self::preferring(Preference::LeastDraw, drawn.iter().copied(), &max_powers);
        if scope == CapScope::AllNodes { order.counting_idle(nodes.as_slice()) } else { order }
    }

    /// Orders all nodes by draws that are known already; both slices are by ordinal and equally long.
    pub fn of_powers(draws: &[Power], max_powers: &[Power], preference: Preference) -> Self {
        Self::preferring(preference, draws.iter().copied().zip(0..), max_powers)
    }

    /// This order with other draws and maximum powers, by ordinal: nodes that were ordered by
    /// estimates, at what they really draw.
    #[must_use]
    pub fn with_draws(&self, draws: &[Power], max_powers: &[Power]) -> Self {
        let other = |&ordinal: &u32| (draws[ordinal as usize], ordinal);
        Self::taken_in(self.ordinal_of_rank.iter().map(other), max_powers)
    }

    /// Those of the nodes whose ordinal `admits` says may be taken, in the same order.
    #[must_use]
    pub fn admitting(&self, admits: impl Fn(u32) -> bool) -> Self {
        let ranks = (0_u32..).zip(&self.ordinal_of_rank);
        let kept: Vec<u32> =
            ranks.filter(|(_, ordinal)| admits(**ordinal)).map(|(rank, _)| rank).collect();
        let (mut draw, mut counted, mut idle) = (Power::ZERO, Power::ZERO, Power::ZERO);
        let mut before = Vec::with_capacity(kept.len() + 1);
        before.push((draw, counted));
        let mut idle_before = self.idle_before.first().map_or_else(Vec::new, |none| vec![*none]);
        for &rank in &kept {
            let of_node = self.before(rank + 1) - self.before(rank);
            (draw, counted) = (draw + of_node.draw, counted + of_node.counted);
            before.push((draw, counted));
            if let [one, next, ..] = self.idle_before.get(rank as usize..).unwrap_or_default() {
                idle = idle + (*next - *one);
                idle_before.push(idle);
            }
        }
        Self {
            ordinal_of_rank: kept.into_iter().map(|rank| self.ordinal(rank)).collect(),
            rank_of_ordinal: OnceLock::new(),
            ordinals: self.ordinals,
            before,
            idle_before,
        }
    }

    /// Orders nodes that are given by ordinal.
    fn preferring(
        preference: Preference,
        drawn: impl Iterator<Item = (Power, u32)> + Clone,
        max_powers: &[Power],
    ) -> Self {
        if preference == Preference::FirstListed {
            return Self::taken_in(drawn, max_powers);
        }
        if let Some(packed) = Packed::of(drawn.clone()) {
            return Self::taken_in(packed.sorted().iter().copied().map(unpacked), max_powers);
        }
        let mut drawn: Vec<(Power, u32)> = drawn.collect();
        drawn.sort_unstable();
        Self::taken_in(drawn.iter().copied(), max_powers)
    }

    fn taken_in(drawn: impl Iterator<Item = (Power, u32)> + Clone, max_powers: &[Power]) -> Self {
        let mut ordinal_of_rank = Vec::with_capacity(max_powers.len());
        ordinal_of_rank.extend(drawn.clone().map(|(_, ordinal)| ordinal));
        // Fetched in a loop of their own: they lie anywhere, and more of them are on their way at once.
        let mut before = Vec::with_capacity(max_powers.len() + 1);
        before.push((Power::ZERO, Power::ZERO));
        before.extend(drawn.map(|(draw, ordinal)| (draw, max_powers[ordinal as usize])));
        let (mut draw_sum, mut max_sum) = (Power::ZERO, Power::ZERO);
        for (draw, max) in &mut before {
            draw_sum = draw_sum + *draw;
            max_sum = max_sum + *max;
            (*draw, *max) = (draw_sum, max_sum);
        }
        // Only where a filter left nodes out is there anything to give back.
        ordinal_of_rank.shrink_to_fit();
        before.shrink_to_fit();
        Self {
            ordinal_of_rank,
            rank_of_ordinal: OnceLock::new(),
            ordinals: max_powers.len(),
            before,
            idle_before: Vec::new(),
        }
    }

    /// This order where idle nodes count against the cap: reserving a node adds only what it can draw
    /// beyond idle.
    fn counting_idle(mut self, all: &[Node]) -> Self {
        let mut idle = Power::ZERO;
        self.idle_before.push(idle);
        for &ordinal in &self.ordinal_of_rank {
            idle = idle + all[ordinal as usize].idle();
            self.idle_before.push(idle);
        }
        for ((_, counted), idle) in self.before.iter_mut().zip(&self.idle_before) {
            *counted = *counted - *idle;
        }
        self
    }

    /// How many nodes are ordered.
    pub fn count(&self) -> u32 {
        u32::try_from(self.ordinal_of_rank.len()).unwrap_or(u32::MAX)
    }

    /// What all ranks before `rank` amount to.
    pub fn before(&self, rank: u32) -> Totals {
        let (draw, counted) = self.before[rank as usize];
        Totals { nodes: rank, draw, counted }
    }

    /// What a set of ranks amounts to. `O(ranges)`.
    pub fn totals(&self, ranks: &NodeSet) -> Totals {
        let of = |range: &Range<u32>| self.before(range.end) - self.before(range.start);
        ranks.ranges().iter().map(of).sum()
    }

    /// The draw of a set of ranks. `O(ranges)`.
    pub fn draw(&self, ranks: &NodeSet) -> Power {
        self.totals(ranks).draw
    }

    /// What a set of ranks counts against the cap. `O(ranges)`.
    pub fn counted(&self, ranks: &NodeSet) -> Power {
        self.totals(ranks).counted
    }

    /// The maximum power of a set of ranks. `O(ranges)`.
    pub fn max_power(&self, ranks: &NodeSet) -> Power {
        let counted = self.totals(ranks).counted;
        if self.idle_before.is_empty() {
            return counted;
        }
        let before = |rank: u32| self.idle_before[rank as usize];
        let idle = ranks.ranges().iter().map(|range| before(range.end) - before(range.start));
        idle.fold(counted, Add::add)
    }

    /// The ordinal of a rank.
    pub fn ordinal(&self, rank: u32) -> u32 {
        self.ordinal_of_rank[rank as usize]
    }

    /// The rank of an ordinal; `None` for a node that is not in the order.
    pub fn rank(&self, ordinal: u32) -> Option<u32> {
        let ranks = self.rank_of_ordinal.get_or_init(|| {
            let mut ranks = vec![NO_RANK; self.ordinals].into_boxed_slice();
            for (rank, &ordinal) in (0_u32..).zip(&self.ordinal_of_rank) {
                ranks[ordinal as usize] = rank;
            }
            ranks
        });
        Some(ranks[ordinal as usize]).filter(|&rank| rank != NO_RANK)
    }

    /// The ordinals of a set of ranks. `O(nodes in the set)`, with a sort.
    pub fn ordinals(&self, ranks: &NodeSet) -> NodeSet {
        NodeSet::from_positions(ranks.positions().map(|rank| self.ordinal(rank)))
    }

    /// The ranks of a set of ordinals, nodes that are not in the order left out.
    /// `O(nodes in the set)`, with a sort.
    pub fn ranks(&self, ordinals: &NodeSet) -> NodeSet {
        NodeSet::from_positions(ordinals.positions().filter_map(|ordinal| self.rank(ordinal)))
    }
}

/// Bits of an ordinal in a packed word: more than nodes have.
const ORDINAL_BITS: u32 = 24;
const _: () = assert!(MAX_NODES < 1 << ORDINAL_BITS);

/// Draws and ordinals as words, which a radix sort puts in order.
struct Packed {
    words: Vec<u64>,
    /// All bits that are set in any of them.
    bits: u64,
}

impl Packed {
    /// `None` unless all draws are below a megawatt, as those of real nodes are.
    fn of(mut drawn: impl Iterator<Item = (Power, u32)>) -> Option<Self> {
        let mut words = Vec::with_capacity(drawn.size_hint().1.unwrap_or(0));
        let mut bits = 0;
        // Several times faster than a `for` loop over a chain of iterators.
        drawn.try_for_each(|(draw, ordinal)| {
            let draw = u64::try_from(draw.as_microwatts()).ok().filter(|draw| draw >> 40 == 0)?;
            let word = draw << ORDINAL_BITS | u64::from(ordinal);
            bits |= word;
            words.push(word);
            Some(())
        })?;
        Some(Self { words, bits })
    }

    /// By draw; the sort is stable, so that ordinals of equal draws stay as they came.
    fn sorted(mut self) -> Vec<u64> {
        if self.bits >> (ORDINAL_BITS + u32::BITS) == 0 {
            // Draws below 4 kW: half the digits to count.
            #[expect(clippy::cast_possible_truncation, reason = "the bits above are zero")]
            radsort::sort_by_key(&mut self.words, |word| (word >> ORDINAL_BITS) as u32);
        } else {
            radsort::sort_by_key(&mut self.words, |word| word >> ORDINAL_BITS);
        }
        self.words
    }
}

fn unpacked(word: u64) -> (Power, u32) {
    let ordinal = (word & ((1 << ORDINAL_BITS) - 1)) as u32;
    (Power::from_microwatts((word >> ORDINAL_BITS).cast_signed()), ordinal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn powers(microwatts: &[i64]) -> Vec<Power> {
        microwatts.iter().map(|&power| Power::from_microwatts(power)).collect()
    }

    /// Draws 30, 10, 20, 10: nodes 1 and 3 first, by ordinal, then 2, then 0.
    #[test]
    fn least_drawing_nodes_come_first_and_equals_by_ordinal() {
        let draws = powers(&[30, 10, 20, 10]);
        let order = NodeOrder::of_powers(&draws, &draws, Preference::LeastDraw);
        assert_eq!(order.ordinal_of_rank, [1, 3, 2, 0]);
        assert_eq!(order.before(3).draw.as_microwatts(), 40);
        assert_eq!((order.rank(3), order.rank(0)), (Some(1), Some(3)));
    }

    /// Ordered by 3, 1, 2: nodes 1, 2, 0. At 5, 6, 7 the first two draw 6 + 7 = 13.
    #[test]
    fn other_draws_keep_the_order() {
        let estimate = powers(&[3, 1, 2]);
        let order = NodeOrder::of_powers(&estimate, &estimate, Preference::LeastDraw);
        let real = order.with_draws(&powers(&[5, 6, 7]), &estimate);
        assert_eq!(real.before(2).draw.as_microwatts(), 13);
        assert_eq!(real.before(2).counted, order.before(2).counted);
        assert_eq!(real.ordinal_of_rank, order.ordinal_of_rank);
    }

    proptest! {
        #[test]
        fn packed_words_sort_as_pairs_do(
            draws in prop::collection::vec(0_i64..50, 0..100),
            scale in prop::sample::select(&[1, 1 << 30, 1 << 36][..]),
        ) {
            let draws = powers(&draws.into_iter().map(|draw| draw * scale).collect::<Vec<_>>());
            let order = NodeOrder::of_powers(&draws, &draws, Preference::LeastDraw);
            let mut expected: Vec<(Power, u32)> = draws.iter().copied().zip(0..).collect();
            expected.sort();
            let expected: Vec<u32> = expected.into_iter().map(|(_, ordinal)| ordinal).collect();
            prop_assert_eq!(order.ordinal_of_rank, expected);
        }
    }
}
