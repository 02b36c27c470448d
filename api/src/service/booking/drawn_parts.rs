//! What a reservation draws when, where that is not the same all the time since it gave back some of its nodes.

use std::collections::HashMap;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::quantity::Energy;
use planner::replacement::Holding;
use planner::reservation::{Reservation, ReservationState};
use planner::time::Span;

use super::BookingService;
use crate::service::shared::{Fault, SiteState, blocking};

/// What is drawn in which part of a reservation's time.
pub(super) type DrawnParts = Vec<(Span, Energy)>;

/// Energies that differ by no more than this part of them are the same.
const SAME: i128 = 1_000_000;

impl BookingService {
    /// The parts of those reservations that run and gave back nodes; the others draw evenly. `O(reservations that run)`
    /// reads.
    pub(super) async fn drawn_parts(
        &self,
        state: &Arc<SiteState>,
        page: &[Reservation],
    ) -> Result<HashMap<ReservationId, DrawnParts>, Fault> {
        let (mut parts, now) = (HashMap::new(), self.shared.now());
        for stored in page.iter().filter(|it| it.state_at(now) == ReservationState::Active) {
            let Some(offer) = stored.chosen_offer() else { continue };
            let mut held = self.shared.database.allocations_of(stored.id).await?;
            held.retain(|it| it.offer_id == offer.id);
            // Of nodes that were counted anew since, the ranks are others.
            let is_known = held.iter().all(|it| Some(it.epoch) == state.epoch());
            let gave_back = held.windows(2).any(|it| it[0].ranks.count() != it[1].ranks.count());
            if !is_known || !gave_back {
                continue;
            }
            let held: Vec<Holding> = held.into_iter().map(|it| (it.span, it.ranks)).collect();
            let (draws, terms) = (self.draws(stored, state), offer.terms.clone());
            let of_parts = blocking(move || {
                let of_part = |(span, ranks): &Holding| {
                    let (draw, _) = draws.of(&terms, ranks);
                    (*span, draw * span.length())
                };
                let all: DrawnParts = held.iter().map(of_part).collect();
                let sum: i128 = all.iter().map(|(_, energy)| energy.as_microjoules()).sum();
                let told = terms.values.energy.as_microjoules();
                ((sum - told).abs() <= told.abs() / SAME).then_some(all)
            });
            parts.extend(of_parts.await?.map(|all| (stored.id, all)));
        }
        Ok(parts)
    }
}
