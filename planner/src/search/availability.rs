//! Which nodes are free throughout a span, and the first of them in the order (constraint C2).

use super::exclusion::Exclusion;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::Span;

/// The nodes one start would take.
pub(super) struct Selection {
    /// Which, as ranks.
    pub ranks: NodeSet,
    /// Their expected mean power.
    pub draw: Power,
    /// The sum of their maximum power.
    pub max_power: Power,
}

/// Answers for one request, in time order of the starts.
///
/// Starts that meet the same bookings take the same nodes, so the last answer is kept until the
/// bookings met change.
pub(super) struct Availability<'a> {
    nearby: Vec<&'a Booking>,
    order: &'a NodeOrder,
    wanted: u32,
    selections: Vec<Selection>,
    met: Vec<usize>,
    last: Option<Result<usize, Exclusion>>,
}

impl<'a> Availability<'a> {
    pub(super) fn new(nearby: Vec<&'a Booking>, order: &'a NodeOrder, wanted: u32) -> Self {
        Self { nearby, order, wanted, selections: Vec::new(), met: Vec::new(), last: None }
    }

    pub(super) fn selection(&self, index: usize) -> &Selection {
        &self.selections[index]
    }

    /// The index of the selection for `span`.
    pub(super) fn select(&mut self, span: Span) -> Result<usize, Exclusion> {
        let meets = |index: &usize| self.nearby[*index].span.overlaps(span);
        let met: Vec<usize> = (0..self.nearby.len()).filter(meets).collect();
        match &self.last {
            Some(answer) if met == self.met => *answer,
            _ => {
                self.met = met;
                let answer = self.take_first_free();
                self.last = Some(answer);
                answer
            }
        }
    }

    fn take_first_free(&mut self) -> Result<usize, Exclusion> {
        let ranges = self.met.iter().flat_map(|&index| self.nearby[index].ranks.ranges());
        let taken = NodeSet::from_ranges(ranges.cloned().collect());
        let total = self.order.count();
        let Some(ranks) = taken.first_free(self.wanted, total) else {
            return Err(Exclusion::Nodes { free: total - taken.count() });
        };
        let (draw, max_power) = (self.order.draw(&ranks), self.order.max_power(&ranks));
        self.selections.push(Selection { ranks, draw, max_power });
        Ok(self.selections.len() - 1)
    }
}
