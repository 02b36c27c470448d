//! Whether a start takes the right nodes: all admitted and free, none better left free.

use std::collections::HashMap;
use std::sync::Arc;

use super::idle::{IdleJudge, Preferred};
use super::service::{Eligible, taken_during};
use super::{Place, Violation};
use crate::cap_scope::CapScope;
use crate::decision::Offer;
use crate::node::Node;
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
    /// At full speed, then in each slower state by its name.
    powers: Vec<(Option<Arc<str>>, Powers)>,
    judged: HashMap<Choice, Chosen>,
    /// Where idle energy is counted.
    idle: Option<IdleJudge<'a>>,
}

/// Taken and chosen nodes, the slower state, and where idle energy counts, when.
type Choice = (NodeSet, NodeSet, Option<Arc<str>>, Option<Span>);

/// The nodes at one speed, by ordinal; `None` for those that cannot run at it.
type Powers = Vec<Option<Node>>;

impl<'a> NodeJudge<'a> {
    pub(super) fn new(
        problem: &'a PlanningProblem,
        preference: Preference,
        order: &'a NodeOrder,
        eligible: &'a Eligible,
    ) -> Self {
        let full: Powers = problem.nodes.as_slice().iter().copied().map(Some).collect();
        let mut powers = vec![(None, full)];
        for (index, state) in problem.nodes.slower_states().states().iter().enumerate() {
            let of = (0..problem.nodes.count()).map(|node| problem.nodes.in_state(index, node));
            powers.push((Some(Arc::clone(&state.name)), of.collect()));
        }
        let (judged, idle) = (HashMap::new(), IdleJudge::of(problem));
        Self { problem, preference, order, eligible, powers, judged, idle }
    }

    /// The nodes at full speed, or in the state of a name.
    fn powers(&self, state: Option<&str>) -> Option<&Powers> {
        self.powers.iter().find(|(name, _)| name.as_deref() == state).map(|(_, powers)| powers)
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
        let state = offer.slowing.as_ref().map(|it| Arc::clone(&it.state.name));
        if self.powers(state.as_deref()).is_none() {
            violations.extend(state.map(|state| Violation::NoSuchState { place, state }));
            return None;
        }
        // Where idle energy counts, which nodes are preferred rests on when.
        let when = self.idle.is_some().then_some(offer.span);
        let key = (taken_during(self.problem, offer.span), offer.ranks.clone(), state, when);
        if let Some(&chosen) = self.judged.get(&key) {
            return Some(chosen);
        }
        let ordinals = self.order.ordinals(&offer.ranks);
        let already = violations.len();
        let left_out = ordinals.positions().filter(|&node| !self.eligible.contains(node));
        violations.extend(left_out.map(|node| Violation::NodeLeftOut { place, node }));
        if let Some(state) = &key.2 {
            let powers = self.powers(Some(state))?;
            let without = ordinals.positions().filter(|&node| powers[node as usize].is_none());
            violations.extend(without.map(|node| Violation::NodeWithoutState {
                place,
                node,
                state: Arc::clone(state),
            }));
        }
        self.judge_free(place, offer, &ordinals, violations);
        let powers = self.powers(key.2.as_deref())?;
        self.judge_preferred((place, offer.span), powers, &key.0, &ordinals, violations);
        let chosen = self.power_of(powers, ordinals.positions());
        // A faulty choice is not remembered, so that every place it stands in is named.
        if violations.len() == already {
            self.judged.insert(key, chosen);
        }
        Some(chosen)
    }

    /// What an offer changes of idle energy, where that is counted.
    pub(super) fn idle_change(&self, offer: &Offer) -> Option<[i128; 3]> {
        let ordinals = self.order.ordinals(&offer.ranks);
        self.idle.as_ref().map(|idle| idle.change(&ordinals, offer.span))
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
        (place, span): (Place, Span),
        powers: &Powers,
        taken: &NodeSet,
        ordinals: &NodeSet,
        violations: &mut Vec<Violation>,
    ) {
        let place_in_order = |node: u32| self.place_in_order(powers, node, span);
        let worst_chosen = ordinals.positions().max_by_key(|&node| place_in_order(node));
        let left = self.free_of(powers, taken).filter(|&node| !ordinals.contains(node));
        let best_left = left.min_by_key(|&node| place_in_order(node));
        if let (Some(taken), Some(free)) = (worst_chosen, best_left)
            && place_in_order(free) < place_in_order(taken)
        {
            violations.push(Violation::BetterNodeFree { place, taken, free });
        }
    }

    /// Nodes that the request may take at one speed, less those taken.
    fn free_of(&self, powers: &Powers, taken: &NodeSet) -> impl Iterator<Item = u32> {
        let mut is_taken: Vec<bool> = powers.iter().map(Option::is_none).collect();
        for range in taken.ranges() {
            let end = (range.end as usize).min(is_taken.len());
            is_taken[(range.start as usize).min(end)..end].fill(true);
        }
        let free = |(ordinal, taken): &(u32, bool)| !taken && self.eligible.contains(*ordinal);
        (0_u32..).zip(is_taken).filter(free).map(|(ordinal, _)| ordinal)
    }

    /// The power of the `nodes` that a start would have to take; or how many are missing.
    pub(super) fn choose(
        &self,
        nodes: u32,
        span: Span,
        state: Option<&str>,
    ) -> Result<Chosen, u32> {
        let powers = self.powers(state).ok_or(nodes)?;
        let taken = taken_during(self.problem, span);
        let mut free: Vec<u32> = self.free_of(powers, &taken).collect();
        let count = u32::try_from(free.len()).unwrap_or(u32::MAX);
        if count < nodes {
            return Err(nodes - count);
        }
        free.sort_by_cached_key(|&node| self.place_in_order(powers, node, span));
        Ok(self.power_of(powers, free.into_iter().take(nodes as usize)))
    }

    /// In microwatts; 0 for nodes that cannot run at this speed, which are not taken.
    fn draw(&self, node: Option<Node>) -> i64 {
        let utilisation = self.problem.request.utilisation_or_full();
        node.map_or(0, |node| node.draw(utilisation).as_microwatts())
    }

    fn place_in_order(
        &self,
        powers: &Powers,
        ordinal: u32,
        span: Span,
    ) -> (Option<Preferred>, i64, u32) {
        let draw = self.draw(powers[ordinal as usize]);
        let preferred = self.idle.as_ref().map(|idle| idle.preferred(ordinal, draw, span));
        match self.preference {
            Preference::LeastDraw => (preferred, draw, ordinal),
            Preference::FirstListed => (preferred, 0, ordinal),
        }
    }

    fn power_of(&self, powers: &Powers, ordinals: impl Iterator<Item = u32>) -> Chosen {
        let idle_counts = self.problem.cap_scope == CapScope::AllNodes;
        let mut chosen = Chosen { draw: 0, max: 0, counted: 0 };
        for node in ordinals.filter_map(|ordinal| powers[ordinal as usize]) {
            chosen.draw += i128::from(self.draw(Some(node)));
            chosen.max += i128::from(node.max().as_microwatts());
            if idle_counts {
                chosen.counted -= i128::from(node.idle().as_microwatts());
            }
        }
        chosen.counted += chosen.max;
        chosen
    }
}
