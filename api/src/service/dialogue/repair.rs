//! What outages take from a reservation, and what it holds instead: worked out from one state of the
//! book, written by nobody.

use std::collections::HashMap;

use crate::config::power::PowerSettings;
use crate::service::booking::BookingRequest;
use crate::service::shared::{SiteState, SpeedPowers};
use planner::book::RankedOutage;
use planner::decision::Shortage;
use planner::hits::hit_by_outages;
use planner::identity::OfferId;
use planner::node_set::NodeSet;
use planner::quantity::{Currency, Energy};
use planner::replacement::{Holding, Loss, due, losses, replaced, replacement, stand_ins};
use planner::reservation::{HeldOffer, OfferTerms, Reservation, ReservationState};
use planner::search::PlanningView;
use planner::time::{Span, Timestamp};
use storage::{Allocation, NewNodes, Outage};

/// What becomes of a reservation that outages hit.
#[derive(Default)]
pub(super) struct Repair {
    /// Offers that get other nodes.
    pub mended: Vec<Mended>,
    /// Offers for which there are none.
    pub lost: Vec<Lost>,
}

/// An offer that gets other nodes.
pub(super) struct Mended {
    pub nodes: NewNodes,
    /// The nodes that it loses, as ranks.
    pub lost: NodeSet,
    /// Those that take their place.
    pub by: NodeSet,
    /// By which outages.
    pub outages: Vec<Outage>,
}

/// An offer whose nodes nothing can take the place of.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    pub offer: OfferId,
    /// How many nodes it has in all.
    pub node_count: u32,
    /// Nodes that are lost and since when, by outage.
    pub taken: Vec<(Outage, Timestamp, NodeSet)>,
    /// What is missing for others to come.
    pub shortage: Shortage,
    /// When the first of these outages ends, or the reservation does.
    pub until: Timestamp,
}

/// What is needed beside the state.
pub(super) struct Repairing<'a> {
    pub state: &'a SiteState,
    /// The request as it was made; `None` where it cannot be read any more, since nodes or labels
    /// that it names are gone.
    pub request: Option<&'a BookingRequest>,
    /// What the settings say of power, and so of slower states.
    pub power: Option<&'a PowerSettings>,
    pub currency: Currency,
    pub now: Timestamp,
}

impl SiteState {
    /// Ids of the reservations that outages hit from `now` on.
    pub(super) fn hit_by_outages(&self, now: Timestamp) -> Vec<String> {
        let hit = hit_by_outages(&self.book, now);
        let mut hit: Vec<String> = hit.iter().map(|booking| booking.id.to_string()).collect();
        hit.sort_unstable();
        hit.dedup();
        hit
    }
}

impl Repairing<'_> {
    /// Works it out for the offers that count: the chosen one, or all that are held.
    pub(super) fn repair(&self, stored: &Reservation, allocations: Vec<Allocation>) -> Repair {
        let mut repair = Repair::default();
        let begun = stored.state_at(self.now) == ReservationState::Active;
        let mut held: HashMap<OfferId, Vec<Holding>> = HashMap::new();
        for allocation in allocations {
            let rest = Span::new(allocation.span.start().max(self.now), allocation.span.end());
            let rest = rest.map(|span| (span, allocation.ranks));
            held.entry(allocation.offer_id).or_default().extend(rest);
        }
        // Of thousands of outages only some meet what is held.
        let meets = |outage: &&Outage| {
            let meets = |(span, ranks): &Holding| {
                outage.span().is_some_and(|it| it.overlaps(*span)) && outage.ranks.intersects(ranks)
            };
            held.values().flatten().any(meets)
        };
        let outages: Vec<&Outage> = self.state.outages.iter().filter(meets).collect();
        let ranked = |outage: &&Outage| {
            Some(RankedOutage { span: outage.span()?, ranks: outage.ranks.clone() })
        };
        let ranked: Vec<RankedOutage> = outages.iter().filter_map(ranked).collect();
        for offer in &stored.offers {
            let Some(held) = held.get(&offer.id) else { continue };
            let losses = losses(held, &ranked);
            // Told without the clock, so that it stays the same while an outage lasts.
            let taken = |loss: &Loss| {
                let outage = outages[loss.outage];
                (outage.clone(), outage.start.max(offer.terms.span.start()), loss.ranks.clone())
            };
            let Some((from, lost)) = due(held, &losses, begun) else { continue };
            match self.mended(stored, offer, held, from, &lost) {
                Ok((nodes, by)) => {
                    let mut outages: Vec<Outage> = losses
                        .iter()
                        .filter(|loss| loss.ranks.intersects(&lost))
                        .map(|loss| outages[loss.outage].clone())
                        .collect();
                    outages.dedup_by_key(|outage| outage.id);
                    repair.mended.push(Mended { nodes, lost, by, outages });
                }
                Err(shortage) => repair.lost.push(Lost {
                    offer: offer.id,
                    node_count: held.last().map_or(0, |(_, ranks)| ranks.count()),
                    taken: losses.iter().map(taken).collect(),
                    shortage,
                    until: losses.iter().map(|it| it.span.end()).min().unwrap_or(Timestamp::MAX),
                }),
            }
        }
        repair
    }

    fn mended(
        &self,
        stored: &Reservation,
        offer: &HeldOffer,
        held: &[Holding],
        from: Timestamp,
        lost: &NodeSet,
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
