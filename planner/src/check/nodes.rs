//! Whether a start takes the right nodes: as many as asked for, all free, none better left free.

use std::collections::HashMap;

use super::{Place, Violation};
use crate::decision::Offer;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Preference};
use crate::problem::PlanningProblem;

/// What the chosen nodes draw, in microwatts.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    /// The sum of their draws for the request's utilisation.
    pub(super) draw: i128,
    /// The sum of their maximum powers.
    pub(super) max: i128,
}

/// Judges choices of nodes, each pair of taken and chosen nodes once.
pub(super) struct NodeJudge<'a> {
    problem: &'a PlanningProblem,
    preference: Preference,
    order: &'a NodeOrder,
    /// By ordinal, in microwatts.
    draws: Vec<i64>,
    judged: HashMap<(NodeSet, NodeSet), Chosen>,
}

impl<'a> NodeJudge<'a> {
    pub(super) fn new(
        problem: &'a PlanningProblem,
        preference: Preference,
        order: &'a NodeOrder,
    ) -> Self {
        let utilisation = problem.request.utilisation_or_full();
        let nodes = problem.nodes.as_slice();
        let draws = nodes.iter().map(|node| node.draw(utilisation).as_microwatts()).collect();
        Self { problem, preference, order, draws, judged: HashMap::new() }
    }

    /// The power of the offer's nodes; `None` where a rank is not a node's.
    pub(super) fn judge(
        &mut self,
        place: Place,
        offer: &Offer,
        violations: &mut Vec<Violation>,
    ) -> Option<Chosen> {
        let nodes = self.problem.nodes.count();
        if let Some(range) = offer.ranks.ranges().last().filter(|range| range.end > nodes) {
            violations.push(Violation::NoSuchNode { place, rank: range.end - 1, nodes });
            return None;
        }
        let taken = self.taken_during(offer);
        let key = (taken, offer.ranks.clone());
        if let Some(&chosen) = self.judged.get(&key) {
            return Some(chosen);
        }
        let ordinals = self.order.ordinals(&offer.ranks);
        let already = violations.len();
        self.judge_count(place, &ordinals, violations);
        self.judge_free(place, offer, &ordinals, violations);
        self.judge_preferred(place, &key.0, &ordinals, violations);
        let chosen = self.power_of(&ordinals);
        // A faulty choice is not remembered, so that every place it stands in is named.
        if violations.len() == already {
            self.judged.insert(key, chosen);
        }
        Some(chosen)
    }

    /// All nodes that a reservation holds at some instant of the offer.
    fn taken_during(&self, offer: &Offer) -> NodeSet {
        let overlapping =
            self.problem.reservations.iter().filter(|entry| entry.span.overlaps(offer.span));
        NodeSet::from_ranges(overlapping.flat_map(|entry| entry.nodes.ranges()).cloned().collect())
    }

    fn judge_count(&self, place: Place, ordinals: &NodeSet, violations: &mut Vec<Violation>) {
        let (taken, asked) = (ordinals.count(), self.problem.request.nodes);
        if taken != asked {
            violations.push(Violation::WrongCount { place, taken, asked });
        }
    }

    fn judge_free(
        &self,
        place: Place,
        offer: &Offer,
        ordinals: &NodeSet,
        violations: &mut Vec<Violation>,
    ) {
        let holding =
            self.problem.reservations.iter().filter(|entry| {
                entry.span.overlaps(offer.span) && entry.nodes.intersects(ordinals)
            });
        for entry in holding {
            if let Some(node) = entry.nodes.positions().find(|&node| ordinals.contains(node)) {
                let (id, held) = (entry.id.clone(), entry.span);
                violations.push(Violation::NodeTaken { place, node, id, held });
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
        let mut left = vec![true; self.draws.len()];
        for range in taken.ranges().iter().chain(ordinals.ranges()) {
            for ordinal in range.clone() {
                if let Some(flag) = left.get_mut(ordinal as usize) {
                    *flag = false;
                }
            }
        }
        let worst_chosen = ordinals.positions().max_by_key(|&node| self.place_in_order(node));
        let left = (0_u32..).zip(&left).filter(|(_, left)| **left).map(|(ordinal, _)| ordinal);
        let best_left = left.min_by_key(|&node| self.place_in_order(node));
        if let (Some(taken), Some(free)) = (worst_chosen, best_left)
            && self.place_in_order(free) < self.place_in_order(taken)
        {
            violations.push(Violation::BetterNodeFree { place, taken, free });
        }
    }

    fn place_in_order(&self, ordinal: u32) -> (i64, u32) {
        match self.preference {
            Preference::LeastDraw => (self.draws[ordinal as usize], ordinal),
            Preference::FirstListed => (0, ordinal),
        }
    }

    fn power_of(&self, ordinals: &NodeSet) -> Chosen {
        let nodes = self.problem.nodes.as_slice();
        let mut chosen = Chosen { draw: 0, max: 0 };
        for ordinal in ordinals.positions() {
            chosen.draw += i128::from(self.draws[ordinal as usize]);
            chosen.max += i128::from(nodes[ordinal as usize].max().as_microwatts());
        }
        chosen
    }
}
