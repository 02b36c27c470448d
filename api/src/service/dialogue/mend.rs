//! Reservations that outages hit: other nodes for the same start and length, where there are any.
//!
//! One after the other in the order in which power is kept, each in a transaction of its own: active
//! ones, then confirmed ones by the site's order, then held offers, the oldest first. Healthy nodes
//! are kept. For what cannot be mended, `judge` offers new starts; held offers are withdrawn, and
//! where none is left the request is planned anew.

use std::collections::HashMap;
use std::sync::Arc;

use planner::dialogue::{Claim, turns};
use planner::identity::{OfferId, ReservationId};
use planner::reservation::{Reservation, ReservationState};
use storage::{NewNodes, PlanBasis, ProposeError, Unchanged};

use super::DialogueService;
use super::error::TurnError;
use super::notice::offers_lost;
use super::repair::{Lost, Repair};
use crate::service::booking::{Draft, OtherNodes, QuoteError, draft, nodes_replaced};
use crate::service::shared::{Fault, Party, SiteState, blocking};

/// How often a reservation is looked at anew when others change the book meanwhile, or when its
/// nodes fail one after the other.
const TRIES: usize = 16;

impl DialogueService {
    /// Takes other nodes for what outages hit. The confirmed and active reservations that are left
    /// without some.
    pub(super) async fn mend(
        &self,
        state: &Arc<SiteState>,
    ) -> Result<HashMap<ReservationId, Lost>, TurnError> {
        let (now, looked_at) = (self.shared.now(), Arc::clone(state));
        let hit = blocking(move || looked_at.hit_by_outages(now)).await?;
        let mut lost = HashMap::new();
        if hit.is_empty() {
            return Ok(lost);
        }
        let mut reservations = self.booking.live().await?;
        reservations.retain(|it| hit.binary_search(&it.id.to_string()).is_ok());
        for index in self.turns(state, &reservations) {
            let id = reservations[index].id;
            if let Some(left) = self.mend_one(id).await? {
                lost.insert(id, left);
            }
        }
        Ok(lost)
    }

    /// The order in which reservations have their turn.
    fn turns(&self, state: &SiteState, reservations: &[Reservation]) -> Vec<usize> {
        let now = self.shared.now();
        let claim = |it: &Reservation| Claim {
            span: it.chosen.map_or(it.offers[0].terms.span, |(_, span)| span),
            power: state.counted(it.id),
            active: it.state_at(now) == ReservationState::Active,
            confirmed: it.confirmed.unwrap_or(it.created),
            priority: it.priority,
            standing: self.standing(it),
        };
        // Ids are by creation.
        let (booked, held): (Vec<usize>, Vec<usize>) =
            (0..reservations.len()).partition(|&index| reservations[index].chosen.is_some());
        let held = held.into_iter().filter(|&index| !reservations[index].offers.is_empty());
        let claims: Vec<Claim> = booked.iter().map(|&index| claim(&reservations[index])).collect();
        let order = turns(&claims, self.shared.settings.negotiation.yield_order);
        order.into_iter().map(|turn| booked[turn]).chain(held).collect()
    }

    /// Mends one reservation as far as possible; what it is left without.
    async fn mend_one(&self, id: ReservationId) -> Result<Option<Lost>, TurnError> {
        for _ in 0..TRIES {
            let _booking = self.shared.pool.site_turn().await;
            let state = self.shared.state().await?;
            let Some(basis) = state.marks.map(PlanBasis::from) else { return Ok(None) };
            let Some(stored) = self.shared.database.reservation(id).await? else { return Ok(None) };
            if stored.state_at(self.shared.now()).is_final() {
                return Ok(None);
            }
            let Some(repair) = self.repair(&state, &stored).await? else { continue };
            let unchanged = Unchanged { id, row_version: stored.row_version, basis };
            if !repair.mended.is_empty() {
                // Perhaps more is to be done: the next look tells.
                self.take_others(unchanged, &state, &stored, repair).await?;
            } else if stored.chosen.is_some() || repair.lost.is_empty() {
                return Ok(repair.lost.into_iter().next());
            } else {
                self.give_up(unchanged, &state, &stored, repair.lost).await?;
            }
        }
        Err(TurnError::BookChanged)
    }

    /// Works out what becomes of a reservation; `None` where its nodes count in other ranks than
    /// the state's.
    async fn repair(
        &self,
        state: &Arc<SiteState>,
        stored: &Reservation,
    ) -> Result<Option<Repair>, Fault> {
        let now = self.shared.now();
        let mut allocations = self.shared.database.allocations_of(stored.id).await?;
        allocations.retain(|allocation| allocation.span.end() > now);
        if allocations.iter().any(|allocation| Some(allocation.epoch) != state.epoch()) {
            return Ok(None);
        }
        let request = self.booking.request_as_made(stored, state);
        let currency = self.shared.settings.currency;
        let settings = Arc::clone(&self.shared.settings);
        let (state, stored) = (Arc::clone(state), stored.clone());
        let repaired = blocking(move || {
            let (request, power) = (request.as_ref(), settings.power.as_ref());
            let others = OtherNodes { state: &state, request, power, currency, now };
            others.repair(&stored, allocations)
        });
        Ok(Some(repaired.await?))
    }

    async fn take_others(
        &self,
        unchanged: Unchanged,
        state: &SiteState,
        stored: &Reservation,
        Repair { mended, .. }: Repair,
    ) -> Result<(), Fault> {
        let now = self.shared.now();
        let notice = nodes_replaced(stored, &mended, state, now);
        let nodes: Vec<NewNodes> = mended.into_iter().map(|it| it.nodes).collect();
        let degraded = stored.lacks_power();
        let written =
            self.shared.database.replace_nodes_of(unchanged, &nodes, degraded, &notice, now);
        if unless_changed(written.await)? {
            metrics::counter!("wattbook_reservations_mended_total").increment(1);
            self.shared.manager_bell.notify_one();
            self.judge_mended(stored.id).await?;
        }
        Ok(())
    }

    /// What is expected now follows what the new nodes draw. It is judged from what is stored, so that
    /// it does not matter who else judges meanwhile.
    async fn judge_mended(&self, id: ReservationId) -> Result<(), Fault> {
        let state = self.shared.state().await?;
        let Some(stored) = self.shared.database.reservation(id).await? else { return Ok(()) };
        self.booking.judge_page(&state, vec![stored], self.shared.now()).await
    }

    /// Withdraws held offers that lost nodes; where none is left the request is planned anew, under
    /// the same id.
    async fn give_up(
        &self,
        unchanged: Unchanged,
        state: &Arc<SiteState>,
        stored: &Reservation,
        lost: Vec<Lost>,
    ) -> Result<(), TurnError> {
        let now = self.shared.now();
        let lost: Vec<&Lost> = lost.iter().collect();
        let ids: Vec<OfferId> = lost.iter().map(|lost| lost.offer).collect();
        let told = |way_out| offers_lost(&lost, &state.cluster, way_out, now);
        let is_left = stored.offers.iter().any(|offer| !ids.contains(&offer.id));
        let drafted = if is_left { None } else { self.drafted_anew(state, stored).await? };
        if let Some(drafted) = drafted {
            let (expires, notice) =
                (now + self.shared.settings.hold, told("choose one of the new offers"));
            let (summary, offers) = (&drafted.summary, &drafted.offers);
            let written =
                self.shared.database.offer_anew(unchanged, summary, offers, expires, &notice, now);
            unless_changed(written.await)?;
            return Ok(());
        }
        let notice = told(if is_left {
            "choose another offer, or make a new request"
        } else {
            "no other start in its window is possible; make a new request"
        });
        let written =
            self.shared.database.withdraw_lost_offers(unchanged, &ids, &notice, now).await;
        if unless_changed(written)? {
            metrics::counter!("wattbook_offers_withdrawn_total").increment(ids.len() as u64);
        }
        Ok(())
    }

    /// What is possible now for a request whose offers are all lost; `None` where nothing is.
    async fn drafted_anew(
        &self,
        state: &Arc<SiteState>,
        stored: &Reservation,
    ) -> Result<Option<Draft>, TurnError> {
        let Some(mut request) = self.booking.stored_request(stored, state) else {
            return Ok(None);
        };
        request.quotas_of = Some(stored.owner.clone());
        let alone = Arc::new(state.without(stored.id));
        match self
            .booking
            .plan(Party::Booking, alone, &request, |planned| draft(&planned, None))
            .await
        {
            Ok(Ok(drafted)) => Ok(Some(drafted)),
            Ok(Err(_)) | Err(QuoteError::Invalid(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// `false` where something changed meanwhile, so that it is to be looked at anew.
fn unless_changed(written: Result<bool, ProposeError>) -> Result<bool, Fault> {
    match written {
        Ok(written) => Ok(written),
        Err(ProposeError::Storage(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}
