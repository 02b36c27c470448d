//! The gaps of nodes: the time in which nobody has them and nothing is wrong with them.

use crate::book::{BookedSpan, Outage};
use crate::node_set::NodeSet;
use crate::time::{Span, Timestamp};

/// The gaps of all nodes over a horizon, node by node.
pub(super) struct Gaps {
    /// For each node where its gaps begin in `spans`, and the end of all.
    first: Vec<usize>,
    spans: Vec<Span>,
}

impl Gaps {
    /// The gaps between what nodes are reserved for and their outages. `O(k log k)` for `k` nodes of reservations.
    pub fn new(nodes: u32, reservations: &[BookedSpan], outages: &[Outage], horizon: Span) -> Self {
        let reserved = reservations.iter().map(|it| (it.span, &it.nodes));
        let out = outages.iter().map(|it| (it.span, &it.nodes));
        let mut busy = busy_spans(nodes, reserved.chain(out), horizon);
        let mut gaps = Self { first: Vec::with_capacity(nodes as usize + 1), spans: Vec::new() };
        for spans in &mut busy {
            gaps.first.push(gaps.spans.len());
            spans.sort_unstable();
            let mut free_from = horizon.start();
            for span in spans.iter() {
                gaps.spans.extend(Span::new(free_from, span.start()));
                free_from = free_from.max(span.end());
            }
            gaps.spans.extend(Span::new(free_from, horizon.end()));
        }
        gaps.first.push(gaps.spans.len());
        gaps
    }

    /// Those of a node, in time order.
    pub fn of(&self, ordinal: u32) -> &[Span] {
        let ordinal = ordinal as usize;
        &self.spans[self.first[ordinal]..self.first[ordinal + 1]]
    }
}

fn busy_spans<'a>(
    nodes: u32,
    taken: impl Iterator<Item = (Span, &'a NodeSet)>,
    horizon: Span,
) -> Vec<Vec<Span>> {
    let mut busy: Vec<Vec<Span>> = vec![Vec::new(); nodes as usize];
    for (span, taken) in taken {
        let Some(span) = span.intersection(horizon) else { continue };
        for ordinal in taken.positions().take_while(|it| *it < nodes) {
            busy[ordinal as usize].push(span);
        }
    }
    busy
}

/// How many of some nodes are in a gap, as changes over time: instants in order, and by how much the number changes.
pub(super) fn free_changes(gaps: &Gaps, nodes: &NodeSet) -> Vec<(Timestamp, i64)> {
    let mut changes: Vec<(Timestamp, i64)> = nodes
        .positions()
        .flat_map(|ordinal| gaps.of(ordinal).iter())
        .flat_map(|gap| [(gap.start(), 1), (gap.end(), -1)])
        .collect();
    changes.sort_unstable();
    changes
}
