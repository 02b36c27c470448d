//! Books too large to be planned one by one: bookings in the order of their starts.
//!
//! Whoever comes in that order finds every node that is free now free for good, so that taking the
//! least-drawing nodes of those free at the start is what the planner would do.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use planner::node_set::NodeSet;
use planner::time::{Seconds, Span, Timestamp};

/// A booking to come: its start, how long and how many nodes.
pub type Arrival = (Timestamp, Seconds, u32);

/// Free ranks as ranges, by first rank.
struct FreeRanges(BTreeMap<u32, u32>);

/// The spans and ranks of arrivals, which are in time order; those for which there is no room are
/// left out.
pub fn in_order(nodes: u32, arrivals: &[Arrival]) -> Vec<(Span, NodeSet)> {
    let mut free = FreeRanges(BTreeMap::from([(0, nodes)]));
    let mut left = nodes;
    let mut running: BinaryHeap<Reverse<(Timestamp, usize)>> = BinaryHeap::new();
    let mut booked: Vec<(Span, NodeSet)> = Vec::new();
    for &(start, duration, wanted) in arrivals {
        while let Some(Reverse((end, index))) = running.peek().copied() {
            if end > start {
                break;
            }
            running.pop();
            left += booked[index].1.count();
            booked[index].1.ranges().iter().for_each(|range| free.give_back(range));
        }
        if let Some(span) = Span::starting(start, duration).filter(|_| wanted <= left) {
            running.push(Reverse((span.end(), booked.len())));
            booked.push((span, free.take(wanted)));
            left -= wanted;
        }
    }
    booked
}

impl FreeRanges {
    /// The first `wanted` free ranks; there must be as many.
    fn take(&mut self, mut wanted: u32) -> NodeSet {
        let mut taken = Vec::new();
        while wanted > 0 {
            let Some((start, end)) = self.0.pop_first() else { break };
            let until = end.min(start + wanted);
            wanted -= until - start;
            taken.push(start..until);
            if until < end {
                self.0.insert(until, end);
            }
        }
        NodeSet::from_ranges(taken)
    }

    fn give_back(&mut self, range: &Range<u32>) {
        let (mut start, mut end) = (range.start, range.end);
        if let Some(after) = self.0.remove(&end) {
            end = after;
        }
        if let Some((&before, _)) =
            self.0.range(..start).next_back().filter(|(_, it)| **it == start)
        {
            start = before;
        }
        self.0.insert(start, end);
    }
}
