//! Whether a start takes the right nodes: all admitted and free, none better left free.

use std::collections::HashMap;

use super::service::{Eligible, taken_during};
use super::{Place, Violation};
use crate::cap_scope::CapScope;
use crate::decision::Offer;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Preference};
use crate::problem::PlanningProblem;
use crate::time::Span;

/// What the chosen nodes draw, in microwatts.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    /// The sum of their draws for the request's utilisation.
    pub(super) draw: i128,
    /// The sum of their maximum powers.
    pub(super) max: i128,
    /// What they add to the power that counts against the cap.
    pub(super) counted: i128,
}

/// Judges choices of nodes, each pair of taken and chosen nodes once.
pub(super) struct NodeJudge<'a> {
    problem: &'a PlanningProblem,
    preference: Preference,
    order: &'a NodeOrder,
    eligible: &'a Eligible,
    /// By ordinal, in microwatts.
    draws: Vec<i64>,
    judged: HashMap<(NodeSet, NodeSet), Chosen>,
}

impl<'a> NodeJudge<'a> {
    pub(super) fn new(
        problem: &'a PlanningProblem,
        preference: Preference,
        order: &'a NodeOrder,
        eligible: &'a Eligible,
    ) -> Self {
        let utilisation = problem.request.utilisation_or_full();
        let nodes = problem.nodes.as_slice();
        let draws = nodes.iter().map(|node| node.draw(utilisation).as_microwatts()).collect();
        Self { problem, preference, order, eligible, draws, judged: HashMap::new() }
    }

    /// The power of the offer's nodes; `None` where a rank is not a node's.
    pub(super) fn judge(
        &mut self,
        place: Place,
        offer: &Offer,
        violations: &mut Vec<Violation>,
    ) -> Option<Chosen> {
        let nodes = self.order.count();
        if let Some(range) = offer.ranks.ranges().last().filter(|range| range.end > nodes) {
            violations.push(Violation::NoSuchNode { place, rank: range.end - 1, nodes });
            return None;
        }
        let key = (taken_during(self.problem, offer.span), offer.ranks.clone());
        if let Some(&chosen) = self.judged.get(&key) {
            return Some(chosen);
        }
        let ordinals = self.order.ordinals(&offer.ranks);
        let already = violations.len();
        let left_out = ordinals.positions().filter(|&node| !self.eligible.contains(node));
        violations.extend(left_out.map(|node| Violation::NodeLeftOut { place, node }));
        self.judge_free(place, offer, &ordinals, violations);
        self.judge_preferred(place, &key.0, &ordinals, violations);
        let chosen = self.power_of(ordinals.positions());
        // A faulty choice is not remembered, so that every place it stands in is named.
        if violations.len() == already {
            self.judged.insert(key, chosen);
        }
        Some(chosen)
    }

    fn judge_free(
        &self,
        place: Place,
        offer: &Offer,
        ordinals: &NodeSet,
        violations: &mut Vec<Violation>,
    ) {
        let shared = |span: Span, nodes: &NodeSet| {
            let overlapping = span.overlaps(offer.span) && nodes.intersects(ordinals);
            nodes.positions().find(|&node| overlapping && ordinals.contains(node))
        };
        for entry in &self.problem.reservations {
            if let Some(node) = shared(entry.span, &entry.nodes) {
                let (id, held) = (entry.id.clone(), entry.span);
                violations.push(Violation::NodeTaken { place, node, id, held });
            }
        }
        for outage in &self.problem.outages {
            if let Some(node) = shared(outage.span, &outage.nodes) {
                violations.push(Violation::NodeOut { place, node, out: outage.span });
            }
        }
    }

    /// No free node that was left may come before a chosen one.
    fn judge_preferred(
        &self,
        place: Place,
        taken: &NodeSet,
        ordinals: &NodeSet,
        violations: &mut Vec<Violation>,
    ) {
        let worst_chosen = ordinals.positions().max_by_key(|&node| self.place_in_order(node));
        let left = self.free_of(taken).filter(|&node| !ordinals.contains(node));
        let best_left = left.min_by_key(|&node| self.place_in_order(node));
        if let (Some(taken), Some(free)) = (worst_chosen, best_left)
            && self.place_in_order(free) < self.place_in_order(taken)
        {
            violations.push(Violation::BetterNodeFree { place, taken, free });
        }
    }

    /// Nodes that the request may take, less those taken.
    fn free_of(&self, taken: &NodeSet) -> impl Iterator<Item = u32> {
        let mut is_taken = vec![false; self.draws.len()];
        for range in taken.ranges() {
            let end = (range.end as usize).min(is_taken.len());
            is_taken[(range.start as usize).min(end)..end].fill(true);
        }
        let free = |(ordinal, taken): &(u32, bool)| !taken && self.eligible.contains(*ordinal);
        (0_u32..).zip(is_taken).filter(free).map(|(ordinal, _)| ordinal)
    }

    /// The power of the `nodes` that a start would have to take; or how many are missing.
    pub(super) fn choose(&self, nodes: u32, span: Span) -> Result<Chosen, u32> {
        let mut free: Vec<u32> = self.free_of(&taken_during(self.problem, span)).collect();
        let count = u32::try_from(free.len()).unwrap_or(u32::MAX);
        if count < nodes {
            return Err(nodes - count);
        }
        free.sort_unstable_by_key(|&node| self.place_in_order(node));
        Ok(self.power_of(free.into_iter().take(nodes as usize)))
    }

    fn place_in_order(&self, ordinal: u32) -> (i64, u32) {
        match self.preference {
            Preference::LeastDraw => (self.draws[ordinal as usize], ordinal),
            Preference::FirstListed => (0, ordinal),
        }
    }

    fn power_of(&self, ordinals: impl Iterator<Item = u32>) -> Chosen {
        let nodes = self.problem.nodes.as_slice();
        let idle_counts = self.problem.cap_scope == CapScope::AllNodes;
        let mut chosen = Chosen { draw: 0, max: 0, counted: 0 };
        for ordinal in ordinals {
            let node = &nodes[ordinal as usize];
            chosen.draw += i128::from(self.draws[ordinal as usize]);
            chosen.max += i128::from(node.max().as_microwatts());
            if idle_counts {
                chosen.counted -= i128::from(node.idle().as_microwatts());
            }
        }
        chosen.counted += chosen.max;
        chosen
    }
}
