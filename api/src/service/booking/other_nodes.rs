//! Nodes that take the place of others in a reservation: worked out from one state of the book, written by nobody.

use planner::decision::Shortage;
use planner::node_set::NodeSet;
use planner::quantity::{Currency, Energy};
use planner::replacement::{Holding, replaced, replacement, stand_ins};
use planner::reservation::{HeldOffer, OfferTerms, Reservation};
use planner::search::PlanningView;
use planner::time::{Span, Timestamp};
use storage::{NewNodes, Outage};

use super::BookingRequest;
use crate::config::power::PowerSettings;
use crate::service::shared::{SiteState, SpeedPowers};

/// What is needed to find other nodes.
pub(in crate::service) struct OtherNodes<'a> {
    /// The book.
    pub state: &'a SiteState,
    /// The request as it was made; `None` where it cannot be read any more, since nodes or labels that it names are gone.
    pub request: Option<&'a BookingRequest>,
    /// What the settings say of power, and so of slower states.
    pub power: Option<&'a PowerSettings>,
    /// In which costs are.
    pub currency: Currency,
    /// The present.
    pub now: Timestamp,
}

/// An offer that gets other nodes.
pub(in crate::service) struct Mended {
    /// What it holds since, and its terms.
    pub nodes: NewNodes,
    /// The nodes that it loses, as ranks.
    pub lost: NodeSet,
    /// Those that take their place.
    pub by: NodeSet,
    /// By which outages.
    pub outages: Vec<Outage>,
}

impl OtherNodes<'_> {
    /// Nodes that take the place of `lost` from an instant on, for as long as some of these would be held.
    ///
    /// # Errors
    /// What is missing: nodes, or power.
    pub(in crate::service) fn instead_of(
        &self,
        lost: &NodeSet,
        from: Timestamp,
        stored: &Reservation,
        offer: &HeldOffer,
        held: &[Holding],
    ) -> Result<(NewNodes, NodeSet), Shortage> {
        let missing = Shortage::Nodes(lost.count());
        let request = self.request.ok_or(missing)?;
        let state = self.state;
        // Others are needed only while some of the lost would be held.
        let losing = held.iter().filter(|(_, ranks)| ranks.intersects(lost));
        let end = losing.map(|(span, _)| span.end()).max().unwrap_or(from);
        let span = Span::new(from, end).ok_or(missing)?;
        let slowing = offer.terms.slowing.as_deref();
        let powers = SpeedPowers::of(&state.cluster, self.power, slowing).ok_or(missing)?;
        let selection = match slowing {
            None => state.cluster.selection(&request.planning),
            Some(slowing) => {
                let slower =
                    state.cluster.slower_selections(self.power, &request.planning, self.now);
                let own = slower.into_iter().find(|it| it.state.name == slowing.state.name);
                let own = own.ok_or(missing)?;
                own.selection.without(own.closed_during(span))
            }
        };
        let view = PlanningView {
            now: self.now,
            search: request.search,
            currency: self.currency,
            selection: &selection,
            slower: &[],
            agendas: &state.agendas,
            base_power: state.cluster.base_power,
            book: &state.book,
            idle: None,
            quota: None,
        };
        let beside = held.iter().filter(|(held, _)| held.overlaps(span));
        let all = beside.fold(NodeSet::new(), |all, (_, ranks)| all.union(ranks));
        let counted = |ranks: &NodeSet| powers.counted(ranks);
        let by = replacement(&view, &stored.id.to_string(), span, &all, lost, &counted)?;
        let after = replaced(held, from, lost, &by);
        let draw = |ranks: &NodeSet| powers.draw(ranks, request.planning.utilisation_or_full());
        // What each span held of the lost nodes is what the others draw the place of.
        let more = held.iter().filter_map(|(span, ranks)| {
            let rest = Span::new(span.start().max(from), span.end())?;
            let come = stand_ins(ranks, lost, &by);
            let more = draw(&come) - draw(&ranks.intersection(lost));
            Some((more * rest.length()).as_microjoules())
        });
        let more = Energy::from_microjoules(more.sum());
        let terms = self.redrawn(&offer.terms, &after, &powers, more);
        let holdings = after.into_iter().filter(|(span, _)| span.start() >= from).collect();
        Ok((NewNodes { offer: offer.id, from, holdings, terms }, by))
    }

    /// The terms of an offer with the nodes that are held in the end, which take `more` energy.
    fn redrawn(
        &self,
        terms: &OfferTerms,
        held: &[Holding],
        powers: &SpeedPowers<'_>,
        more: Energy,
    ) -> OfferTerms {
        let Some((_, last)) = held.last() else { return terms.clone() };
        let peak = held.iter().map(|(_, ranks)| powers.peak(ranks)).max();
        let nodes = self.state.cluster.named(last);
        terms.clone().redrawn(nodes, peak.unwrap_or_default(), more)
    }
}
