//! The order in which nodes are taken, with prefix sums over it.
//!
//! A *rank* is a position in the order, an *ordinal* a position in the input. Over ranks, "the n
//! least-drawing free nodes" are the first n free positions, and their draw and maximum power are
//! differences of prefix sums: no query enumerates nodes. Building an order costs `O(N log N)`,
//! its sums take 24 bytes a node.

use std::ops::{Add, Range, Sub};
use std::sync::OnceLock;

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

/// A permutation of the nodes and what can be asked of it in constant time.
#[derive(Clone, Debug)]
pub struct NodeOrder {
    ordinal_of_rank: Vec<u32>,
    /// Made when first asked for: planning does not need it.
    rank_of_ordinal: OnceLock<Vec<u32>>,
    /// Draw and maximum power of all ranks before each rank; one more than there are nodes.
    before: Vec<(Power, Power)>,
}

/// What a set of nodes amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many.
    pub nodes: u32,
    /// Expected mean power.
    pub draw: Power,
    /// The sum of their maximum power.
    pub max_power: Power,
}

impl Add for Totals {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            draw: self.draw + other.draw,
            max_power: self.max_power + other.max_power,
        }
    }
}

impl Sub for Totals {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            nodes: self.nodes - other.nodes,
            draw: self.draw - other.draw,
            max_power: self.max_power - other.max_power,
        }
    }
}

impl NodeOrder {
    /// Orders `nodes` for an application of this utilisation.
    pub fn new(nodes: &Nodes, preference: Preference, utilisation: Fraction) -> Self {
        let nodes = nodes.as_slice();
        let draws: Vec<Power> = nodes.iter().map(|node| node.draw(utilisation)).collect();
        let max_powers: Vec<Power> = nodes.iter().map(Node::max).collect();
        Self::of_powers(&draws, &max_powers, preference)
    }

    /// Orders nodes by draws that are known already; both slices are by ordinal and equally long.
    pub fn of_powers(draws: &[Power], max_powers: &[Power], preference: Preference) -> Self {
        let ordinal_of_rank = match preference {
            Preference::LeastDraw => least_first(draws),
            Preference::FirstListed => (0_u32..).take(draws.len()).collect(),
        };
        Self::taken_in(ordinal_of_rank, draws, max_powers)
    }

    /// The same nodes in the same order with other draws, by ordinal: what was ordered by an
    /// estimate, at what it really draws.
    #[must_use]
    pub fn with_draws(&self, draws: &[Power], max_powers: &[Power]) -> Self {
        Self::taken_in(self.ordinal_of_rank.clone(), draws, max_powers)
    }

    fn taken_in(ordinal_of_rank: Vec<u32>, draws: &[Power], max_powers: &[Power]) -> Self {
        let mut before = Vec::with_capacity(ordinal_of_rank.len() + 1);
        let (mut draw, mut max_power) = (Power::ZERO, Power::ZERO);
        before.push((draw, max_power));
        for &ordinal in &ordinal_of_rank {
            draw = draw + draws[ordinal as usize];
            max_power = max_power + max_powers[ordinal as usize];
            before.push((draw, max_power));
        }
        Self { ordinal_of_rank, rank_of_ordinal: OnceLock::new(), before }
    }

    /// How many nodes are ordered.
    pub fn count(&self) -> u32 {
        u32::try_from(self.ordinal_of_rank.len()).unwrap_or(u32::MAX)
    }

    /// What all ranks before `rank` amount to.
    pub fn before(&self, rank: u32) -> Totals {
        let (draw, max_power) = self.before[rank as usize];
        Totals { nodes: rank, draw, max_power }
    }

    /// What a set of ranks amounts to. `O(ranges)`.
    pub fn totals(&self, ranks: &NodeSet) -> Totals {
        let of = |range: &Range<u32>| self.before(range.end) - self.before(range.start);
        ranks.ranges().iter().map(of).fold(Totals::default(), Add::add)
    }

    /// The draw of a set of ranks. `O(ranges)`.
    pub fn draw(&self, ranks: &NodeSet) -> Power {
        self.totals(ranks).draw
    }

    /// The maximum power of a set of ranks. `O(ranges)`.
    pub fn max_power(&self, ranks: &NodeSet) -> Power {
        self.totals(ranks).max_power
    }

    /// The ordinals of a set of ranks. `O(nodes in the set)`, with a sort.
    pub fn ordinals(&self, ranks: &NodeSet) -> NodeSet {
        NodeSet::from_positions(ranks.positions().map(|rank| self.ordinal_of_rank[rank as usize]))
    }

    /// The ranks of a set of ordinals. `O(nodes in the set)`, with a sort.
    pub fn ranks(&self, ordinals: &NodeSet) -> NodeSet {
        let rank_of_ordinal = self.rank_of_ordinal.get_or_init(|| {
            let mut rank_of_ordinal = vec![0; self.ordinal_of_rank.len()];
            for (rank, &ordinal) in (0_u32..).zip(&self.ordinal_of_rank) {
                rank_of_ordinal[ordinal as usize] = rank;
            }
            rank_of_ordinal
        });
        NodeSet::from_positions(
            ordinals.positions().map(|ordinal| rank_of_ordinal[ordinal as usize]),
        )
    }
}

/// Ordinals by draw, equal draws by ordinal: draw and ordinal as one number where both fit, which
/// sorts several times as fast.
fn least_first(draws: &[Power]) -> Vec<u32> {
    const ORDINAL_BITS: u32 = 24;
    const _: () = assert!(MAX_NODES <= 1 << ORDINAL_BITS);
    let draw = |power: &Power| power.as_microwatts();
    let least = draws.iter().map(draw).min().unwrap_or(0);
    let most = draws.iter().map(draw).max().unwrap_or(0);
    if most.abs_diff(least) >> (u64::BITS - ORDINAL_BITS) > 0 || draws.len() > MAX_NODES as usize {
        let mut ordinals: Vec<u32> = (0_u32..).take(draws.len()).collect();
        ordinals.sort_unstable_by_key(|&ordinal| (draws[ordinal as usize], ordinal));
        return ordinals;
    }
    let key = |(ordinal, power)| draw(power).abs_diff(least) << ORDINAL_BITS | ordinal;
    let mut keys: Vec<u64> = (0_u64..).zip(draws).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| (key & ((1 << ORDINAL_BITS) - 1)) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn powers(microwatts: &[i64]) -> Vec<Power> {
        microwatts.iter().map(|&power| Power::from_microwatts(power)).collect()
    }

    /// Draws 30, 10, 20, 10: nodes 1 and 3 first, by ordinal, then 2, then 0. A spread of powers
    /// that does not fit a key beside an ordinal gives the same order.
    #[test]
    fn least_drawing_nodes_come_first_and_equals_by_ordinal() {
        for spread in [1, 1 << 50] {
            let draws = powers(&[30, 10, 20, 10].map(|draw| draw * spread));
            let order = NodeOrder::of_powers(&draws, &draws, Preference::LeastDraw);
            assert_eq!(order.ordinal_of_rank, [1, 3, 2, 0]);
            assert_eq!(order.before(3).draw.as_microwatts(), 40 * spread);
            let node_3 = NodeSet::from_positions([3]);
            assert_eq!(order.ranks(&node_3), NodeSet::from_positions([1]));
        }
    }

    /// Ordered by 3, 1, 2: nodes 1, 2, 0. At 5, 6, 7 the first two draw 6 + 7 = 13.
    #[test]
    fn other_draws_keep_the_order() {
        let estimate = powers(&[3, 1, 2]);
        let order = NodeOrder::of_powers(&estimate, &estimate, Preference::LeastDraw);
        let real = order.with_draws(&powers(&[5, 6, 7]), &estimate);
        assert_eq!(
            (real.before(2).draw.as_microwatts(), real.before(2).max_power),
            (13, order.before(2).max_power)
        );
        assert_eq!(real.ordinal_of_rank, order.ordinal_of_rank);
    }
}
