//! What outages take from a reservation, and what it holds instead: worked out from one state of the
//! book, written by nobody.

use std::collections::HashMap;

use planner::book::RankedOutage;
use planner::decision::Shortage;
use planner::hits::hit_by_outages;
use planner::identity::OfferId;
use planner::node_set::NodeSet;
use planner::replacement::{Holding, Loss, due, losses};
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Span, Timestamp};
use storage::{Allocation, Outage};

use crate::service::booking::{Mended, OtherNodes};
use crate::service::shared::SiteState;

/// What becomes of a reservation that outages hit.
#[derive(Default)]
pub(super) struct Repair {
    /// Offers that get other nodes.
    pub mended: Vec<Mended>,
    /// Offers for which there are none.
    pub lost: Vec<Lost>,
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

impl OtherNodes<'_> {
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
            match self.instead_of(&lost, from, stored, offer, held) {
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
}
