//! The power that counts against the cap before anything new is reserved, as a function of time: the
//! maximum power of all nodes that reservations hold and, where the cap is of the whole cluster, the
//! idle power of all others.
//!
//! Reservations of one id are alternatives: at each instant the one that adds most counts. The nodes
//! that count are the union over ids, so that a node counts once. Outages reserve nothing.

use std::collections::BTreeMap;

use crate::cap_scope::CapScope;
use crate::node_set::NodeSet;
use crate::problem::PlanningProblem;
use crate::time::{Span, Timestamp};

/// Power in microwatts; each step holds until the next.
pub(super) struct ReservedPower {
    /// Before the first step.
    unreserved: i128,
    steps: Vec<(Timestamp, i128)>,
}

impl ReservedPower {
    /// The power that counts during `reach`.
    ///
    /// `O(nodes)`, and at each start and end of a reservation the ranges of those in force.
    pub(super) fn new(problem: &PlanningProblem, reach: Span) -> Self {
        let reservations = &problem.reservations;
        let added_before = added_before(problem);
        let unreserved = unreserved(problem);
        let mut edges: BTreeMap<Timestamp, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (index, entry) in reservations.iter().enumerate() {
            if entry.span.overlaps(reach) {
                edges.entry(entry.span.start()).or_default().0.push(index);
                edges.entry(entry.span.end()).or_default().1.push(index);
            }
        }
        let power_of = |set: &NodeSet| sum_over(&added_before, set);
        let mut alternatives: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut steps = Vec::with_capacity(edges.len());
        for (instant, (starting, ending)) in edges {
            for index in ending {
                alternatives
                    .entry(&reservations[index].id)
                    .or_default()
                    .retain(|&other| other != index);
            }
            for index in starting {
                alternatives.entry(&reservations[index].id).or_default().push(index);
            }
            alternatives.retain(|_, entries| !entries.is_empty());
            let counted = alternatives.values().filter_map(|entries| {
                entries
                    .iter()
                    .map(|&index| &reservations[index].nodes)
                    .max_by_key(|set| power_of(set))
            });
            let ranges = counted.flat_map(NodeSet::ranges).cloned().collect();
            steps.push((instant, unreserved + power_of(&NodeSet::from_ranges(ranges))));
        }
        Self { unreserved, steps }
    }

    /// The power in force at `instant`.
    pub(super) fn at(&self, instant: Timestamp) -> i128 {
        let after = self.steps.partition_point(|&(from, _)| from <= instant);
        after.checked_sub(1).map_or(self.unreserved, |step| self.steps[step].1)
    }

    /// The instants of `span` at which the power changes.
    pub(super) fn changes_in(&self, span: Span) -> impl Iterator<Item = Timestamp> + '_ {
        let before = self.steps.partition_point(|&(from, _)| from < span.start());
        self.steps[before..]
            .iter()
            .map(|&(from, _)| from)
            .take_while(move |&from| span.contains(from))
    }
}

/// What counts where nothing is reserved.
fn unreserved(problem: &PlanningProblem) -> i128 {
    match problem.cap_scope {
        CapScope::ReservedNodes => 0,
        CapScope::AllNodes => {
            let nodes = problem.nodes.as_slice().iter();
            nodes.map(|node| i128::from(node.idle().as_microwatts())).sum()
        }
    }
}

/// What reserving all nodes before each ordinal adds, in microwatts.
fn added_before(problem: &PlanningProblem) -> Vec<i128> {
    let mut sums = vec![0];
    let mut sum = 0;
    for node in problem.nodes.as_slice() {
        sum += i128::from(node.max().as_microwatts());
        if problem.cap_scope == CapScope::AllNodes {
            sum -= i128::from(node.idle().as_microwatts());
        }
        sums.push(sum);
    }
    sums
}

fn sum_over(before: &[i128], set: &NodeSet) -> i128 {
    let last = before.len() - 1;
    let before = |ordinal: u32| before[(ordinal as usize).min(last)];
    set.ranges().iter().map(|range| before(range.end) - before(range.start)).sum()
}
