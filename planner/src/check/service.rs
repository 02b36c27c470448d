//! Which nodes a request may take, and which of them are free when.

use std::collections::BTreeSet;

use super::Violation;
use crate::labels::NodeLabels;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::problem::PlanningProblem;
use crate::time::Span;

/// By ordinal, whether the request's filter admits the node.
pub(super) struct Eligible {
    /// Partition and features do.
    labels: Vec<bool>,
    /// Its name does too.
    all: Vec<bool>,
}

impl Eligible {
    pub(super) fn of(problem: &PlanningProblem) -> Self {
        let (nodes, filter) = (&problem.nodes, &problem.request.filter);
        let none = NodeLabels::default();
        let matches = |ordinal: u32| {
            let labels = nodes.labels().of(ordinal).unwrap_or(&none);
            filter.partition.iter().all(|name| labels.partitions.contains(name))
                && filter.features.iter().all(|name| labels.features.contains(name))
        };
        let labels: Vec<bool> = (0..nodes.count()).map(matches).collect();
        let mut all = labels.clone();
        if !filter.exclude.is_empty() {
            let excluded: BTreeSet<&str> = filter.exclude.iter().map(AsRef::as_ref).collect();
            for (ordinal, admitted) in (0_u32..).zip(&mut all) {
                *admitted &= !excluded.contains(&*nodes.name(ordinal));
            }
        }
        if !filter.only.is_empty() {
            let only: BTreeSet<&str> = filter.only.iter().map(AsRef::as_ref).collect();
            for (ordinal, admitted) in (0_u32..).zip(&mut all) {
                *admitted &= only.contains(&*nodes.name(ordinal));
            }
        }
        Self { labels, all }
    }

    pub(super) fn contains(&self, ordinal: u32) -> bool {
        self.all.get(ordinal as usize).is_some_and(|admitted| *admitted)
    }

    /// Whether `order` is of the nodes that labels admit, those excluded by name or not among them.
    pub(super) fn judge_order(&self, order: &NodeOrder) -> Result<(), Vec<Violation>> {
        let count = |admitted: &[bool]| admitted.iter().filter(|admitted| **admitted).count();
        let expected = count(&self.all)..=count(&self.labels);
        let admitted = |rank| self.labels.get(order.ordinal(rank) as usize) == Some(&true);
        if expected.contains(&(order.count() as usize)) && (0..order.count()).all(admitted) {
            return Ok(());
        }
        let nodes = u32::try_from(*expected.end()).unwrap_or(u32::MAX);
        Err(vec![Violation::ForeignOrder { ordered: order.count(), nodes }])
    }
}

/// All nodes that a reservation holds or that are out of service at some instant of `span`.
pub(super) fn taken_during(problem: &PlanningProblem, span: Span) -> NodeSet {
    let held = problem.reservations.iter().map(|entry| (entry.span, &entry.nodes));
    let out = problem.outages.iter().map(|outage| (outage.span, &outage.nodes));
    let overlapping = held.chain(out).filter(|(taken, _)| taken.overlaps(span));
    NodeSet::from_ranges(overlapping.flat_map(|(_, nodes)| nodes.ranges()).cloned().collect())
}
