//! The order in which nodes are taken, with prefix sums over it.
//!
//! A *rank* is a position in the order, an *ordinal* a position in the input. Over ranks, "the n
//! least-drawing free nodes" are the first n free positions, and their draw and maximum power are
//! differences of prefix sums: no query enumerates nodes. Building an order costs `O(N log N)`,
//! its sums take 24 bytes a node.

use crate::decimal::Fraction;
use crate::node::{Node, Nodes};
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
    rank_of_ordinal: Vec<u32>,
    draw_before: Vec<Power>,
    max_before: Vec<Power>,
}

impl NodeOrder {
    /// Orders `nodes` for an application of this utilisation.
    pub fn new(nodes: &Nodes, preference: Preference, utilisation: Fraction) -> Self {
        let draws: Vec<Power> =
            nodes.as_slice().iter().map(|node| node.draw(utilisation)).collect();
        let mut ordinal_of_rank: Vec<u32> = (0..nodes.count()).collect();
        if preference == Preference::LeastDraw {
            ordinal_of_rank.sort_unstable_by_key(|&ordinal| (draws[ordinal as usize], ordinal));
        }
        let mut rank_of_ordinal = vec![0; ordinal_of_rank.len()];
        for (rank, &ordinal) in (0_u32..).zip(&ordinal_of_rank) {
            rank_of_ordinal[ordinal as usize] = rank;
        }
        let node_at = |ordinal: u32| -> &Node { &nodes.as_slice()[ordinal as usize] };
        let draw_before = prefix_sums(ordinal_of_rank.iter().map(|&o| draws[o as usize]));
        let max_before = prefix_sums(ordinal_of_rank.iter().map(|&o| node_at(o).max()));
        Self { ordinal_of_rank, rank_of_ordinal, draw_before, max_before }
    }

    /// How many nodes are ordered.
    pub fn count(&self) -> u32 {
        u32::try_from(self.ordinal_of_rank.len()).unwrap_or(u32::MAX)
    }

    /// The draw of a set of ranks. `O(ranges)`.
    pub fn draw(&self, ranks: &NodeSet) -> Power {
        sum_over(&self.draw_before, ranks)
    }

    /// The maximum power of a set of ranks. `O(ranges)`.
    pub fn max_power(&self, ranks: &NodeSet) -> Power {
        sum_over(&self.max_before, ranks)
    }

    /// The ordinals of a set of ranks. `O(nodes in the set)`, with a sort.
    pub fn ordinals(&self, ranks: &NodeSet) -> NodeSet {
        NodeSet::from_positions(ranks.positions().map(|rank| self.ordinal_of_rank[rank as usize]))
    }

    /// The ranks of a set of ordinals. `O(nodes in the set)`, with a sort.
    pub fn ranks(&self, ordinals: &NodeSet) -> NodeSet {
        NodeSet::from_positions(
            ordinals.positions().map(|ordinal| self.rank_of_ordinal[ordinal as usize]),
        )
    }
}

fn prefix_sums(powers: impl Iterator<Item = Power>) -> Vec<Power> {
    let mut sums = vec![Power::ZERO];
    let mut sum = Power::ZERO;
    sums.extend(powers.map(|power| {
        sum = sum + power;
        sum
    }));
    sums
}

fn sum_over(before: &[Power], ranks: &NodeSet) -> Power {
    ranks
        .ranges()
        .iter()
        .map(|range| before[range.end as usize] - before[range.start as usize])
        .sum()
}
