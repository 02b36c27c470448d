//! Moves what is booked from the ranks of one epoch to those of the next, by node name.

use planner::identity::ReservationId;
use std::borrow::Cow;
use std::collections::BTreeSet;

use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::order::NodeOrder;
use planner::time::{Span, Timestamp};

use crate::error::StorageError;
use crate::nodes::StoredNodes;
use crate::outages::Outage;
use crate::reservations::allocations::Allocation;

/// Where the nodes of one epoch are in the next.
pub(crate) struct Remap<'a> {
    pub(crate) old: &'a StoredNodes,
    pub(crate) new: &'a Nodes,
    /// The draw order of the new nodes.
    pub(crate) order: &'a NodeOrder,
}

impl Remap<'_> {
    /// The new ranks of a set of old ones, and the names of the nodes that are gone.
    /// `O(nodes in the set)`.
    fn ranks(&self, ranks: &NodeSet) -> (NodeSet, Vec<Cow<'_, str>>) {
        let names = self.new.index();
        let mut gone = Vec::new();
        let mut positions = Vec::with_capacity(ranks.count() as usize);
        for rank in ranks.positions() {
            let name = self.old.nodes.name(self.old.order.ordinal(rank));
            match names.ordinal(&name).and_then(|ordinal| self.order.rank(ordinal)) {
                Some(rank) => positions.push(rank),
                None => gone.push(name),
            }
        }
        (NodeSet::from_positions(positions), gone)
    }

    /// What allocations hold from `now` on.
    pub(crate) fn allocations(
        &self,
        upcoming: Vec<Allocation>,
        now: Timestamp,
    ) -> Result<Vec<Allocation>, StorageError> {
        let mut missing: BTreeSet<String> = BTreeSet::new();
        let mut holders: BTreeSet<ReservationId> = BTreeSet::new();
        let mut moved = Vec::with_capacity(upcoming.len());
        for allocation in upcoming {
            let (ranks, gone) = self.ranks(&allocation.ranks);
            if !gone.is_empty() {
                missing.extend(gone.into_iter().map(Cow::into_owned));
                holders.insert(allocation.reservation_id);
            }
            let span = Span::new(allocation.span.start().max(now), allocation.span.end());
            moved.extend(span.map(|span| Allocation { span, ranks, ..allocation }));
        }
        if missing.is_empty() {
            return Ok(moved);
        }
        Err(StorageError::NodesInUse {
            names: missing.into_iter().collect(),
            reservations: holders.into_iter().collect(),
        })
    }

    /// Outages of the nodes that are still there.
    pub(crate) fn outages(&self, outages: Vec<Outage>) -> Vec<Outage> {
        let moved = |outage: Outage| Outage { ranks: self.ranks(&outage.ranks).0, ..outage };
        outages.into_iter().map(moved).collect()
    }
}
