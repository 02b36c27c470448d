//! The nodes a request may take, in the order in which it takes them, and where the book's nodes
//! stand in it.
//!
//! A book counts in the ranks of one order. A request with another utilisation takes nodes in
//! another order, one with a filter only some of them. Making a selection costs a pass over the
//! nodes; services keep those that are asked for again.

use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;

use crate::cap_scope::CapScope;
use crate::decimal::Fraction;
use crate::filter::NodeFilter;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::order::{NO_RANK, NodeOrder, Preference};

/// Nodes to take from, over the ranks of an order of their own.
#[derive(Clone, Debug)]
pub struct Selection {
    order: Arc<NodeOrder>,
    /// The order the book counts in.
    base: Arc<NodeOrder>,
    translation: Translation,
    /// Nodes not to take after all, as ranks of the book's order.
    excluded: NodeSet,
}

/// Where the ranks of the book's order stand in the selection's.
#[derive(Clone, Debug)]
enum Translation {
    /// In the same place.
    Same,
    /// In the same sequence: how many of the selection come before each rank, and before the end.
    Sequence(Arc<[u32]>),
    /// Anywhere: the rank of each, [`NO_RANK`] for nodes that are not selected.
    Scattered(Arc<[u32]>),
}

impl Selection {
    /// All nodes, in the order in which the book counts.
    pub fn all(order: Arc<NodeOrder>) -> Self {
        let (base, translation) = (Arc::clone(&order), Translation::Same);
        Self { order, base, translation, excluded: NodeSet::new() }
    }

    /// The nodes that `admits` says may be taken, least-drawing first for an application of
    /// this utilisation; the book counts in the ranks of `base`.
    pub fn new(
        nodes: &Nodes,
        base: &Arc<NodeOrder>,
        scope: CapScope,
        utilisation: Fraction,
        admits: impl Fn(u32) -> bool,
    ) -> Self {
        Self::within(NodeOrder::of(nodes, Preference::LeastDraw, utilisation, scope, admits), base)
    }

    /// The nodes of an order, which are some of those that the book counts in the ranks of `base`.
    pub(crate) fn within(order: NodeOrder, base: &Arc<NodeOrder>) -> Self {
        let mut places: Arc<[u32]> = repeat_n(NO_RANK, base.count() as usize).collect();
        let place_of = Arc::make_mut(&mut places);
        for place in 0..order.count() {
            if let Some(rank) = base.rank(order.ordinal(place)) {
                place_of[rank as usize] = place;
            }
        }
        let selected = || places.iter().filter(|&&place| place != NO_RANK);
        let translation = if !selected().is_sorted() {
            Translation::Scattered(places)
        } else if order.count() == base.count() {
            Translation::Same
        } else {
            let mut before = 0;
            let mut counts: Vec<u32> = Vec::with_capacity(places.len() + 1);
            for place in places.iter() {
                counts.push(before);
                before += u32::from(*place != NO_RANK);
            }
            counts.push(before);
            Translation::Sequence(counts.into())
        };
        let excluded = NodeSet::new();
        Self { order: Arc::new(order), base: Arc::clone(base), translation, excluded }
    }

    /// The nodes of an order that partition and features of a filter admit, in that order; the book
    /// counts in its ranks. `O(nodes)` where the filter has any.
    pub fn labelled(order: &Arc<NodeOrder>, filter: &NodeFilter, nodes: &Nodes) -> Self {
        if filter.has_no_labels() {
            return Self::all(Arc::clone(order));
        }
        Self::within(order.admitting(filter.admits(nodes)), order)
    }

    /// Without the nodes that a filter excludes by name, or does not name where it takes some only.
    #[must_use]
    pub fn excluding(&self, filter: &NodeFilter, nodes: &Nodes) -> Self {
        self.without(self.base.ranks(&filter.excluded(nodes)))
    }

    /// This selection without some nodes, given as ranks of the book's order.
    #[must_use]
    pub fn without(&self, excluded: NodeSet) -> Self {
        Self { excluded, ..self.clone() }
    }

    /// The nodes not to take after all, as ranks of the book's order.
    pub(crate) const fn excluded(&self) -> &NodeSet {
        &self.excluded
    }

    /// The selected nodes in the order in which they are taken.
    pub const fn order(&self) -> &Arc<NodeOrder> {
        &self.order
    }

    /// The order in which the book counts.
    pub const fn base(&self) -> &Arc<NodeOrder> {
        &self.base
    }

    /// How many nodes the book counts.
    pub(crate) fn book_count(&self) -> u32 {
        self.base.count()
    }

    /// The book's rank of one of the selection's.
    pub(crate) fn book_rank(&self, rank: u32) -> u32 {
        match self.translation {
            Translation::Same => rank,
            _ => self.base.rank(self.order.ordinal(rank)).unwrap_or(NO_RANK),
        }
    }

    /// The book's ranks of a set of the selection's. `O(nodes in the set)` where the orders differ.
    pub fn book_ranks(&self, ranks: &NodeSet) -> NodeSet {
        match self.translation {
            Translation::Same => ranks.clone(),
            _ => NodeSet::from_positions(ranks.positions().map(|rank| self.book_rank(rank))),
        }
    }

    /// Whether ranges of the book are ranges of the selection.
    pub(crate) const fn keeps_sequence(&self) -> bool {
        !matches!(self.translation, Translation::Scattered(_))
    }

    /// A range of the book as one of the selection, where ranges stay ranges; it may be empty.
    pub(crate) fn range(&self, range: &Range<u32>) -> Range<u32> {
        match &self.translation {
            Translation::Sequence(before) => {
                before[range.start as usize]..before[range.end as usize]
            }
            Translation::Same | Translation::Scattered(_) => range.clone(),
        }
    }

    /// The selection's ranks of a range of the book, one by one.
    pub(crate) fn ranks<'a>(&'a self, range: &Range<u32>) -> impl Iterator<Item = u32> + 'a {
        let (places, whole): (&[u32], Range<u32>) = match &self.translation {
            Translation::Scattered(places) => {
                (&places[range.start as usize..range.end as usize], 0..0)
            }
            Translation::Same | Translation::Sequence(_) => (&[], self.range(range)),
        };
        places.iter().copied().filter(|&place| place != NO_RANK).chain(whole)
    }
}
