//! The order in which nodes are taken, with prefix sums over it.
//!
//! A *rank* is a position in the order, an *ordinal* a position in the input. Over ranks, "the n
//! least-drawing free nodes" are the first n free positions, and their draw and maximum power are
//! differences of prefix sums: no query enumerates nodes. Building an order costs `O(N log N)`,
//! its sums take 24 bytes a node.

use std::ops::{Add, Range, Sub};

use crate::decimal::Fraction;
use crate::node::Nodes;
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
        let mut before = vec![(Power::ZERO, Power::ZERO)];
        before.reserve_exact(ordinal_of_rank.len());
        let (mut draw, mut max_power) = before[0];
        for &ordinal in &ordinal_of_rank {
            draw = draw + draws[ordinal as usize];
            max_power = max_power + nodes.as_slice()[ordinal as usize].max();
            before.push((draw, max_power));
        }
        Self { ordinal_of_rank, rank_of_ordinal, before }
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
        NodeSet::from_positions(
            ordinals.positions().map(|ordinal| self.rank_of_ordinal[ordinal as usize]),
        )
    }
}
