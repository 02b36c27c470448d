//! The book judged by outages and by the cap, grants included: who keeps what was promised.
//!
//! Outages come first (`mend`). For power the rule is [`keep`]'s: active reservations first, then
//! confirmed ones by the site's order, then held offers, the oldest first. Confirmed ones that give
//! way, or lost nodes that nothing can take the place of, are flagged `degraded` and their owners
//! offered new starts; held offers that give way are withdrawn. Where everything fits, which is nearly
//! always, it costs one sum over the book.

use std::collections::HashMap;
use std::sync::Arc;

use planner::book::Booking;
use planner::dialogue::{Claim, keep};
use planner::fair_share::ShareFactor;
use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Span, Timestamp};

use super::DialogueService;
use super::error::TurnError;
use super::notice::{Causes, offers_without_power};
use super::repair::Lost;
use crate::service::booking::{BookingError, OnCap, QuoteError};
use crate::service::shared::{Access, CallerKind, Fault, SiteState, blocking, largest};

/// What does not fit any more.
#[derive(Default)]
struct Verdict {
    /// Confirmed reservations, and whether each keeps its power.
    confirmed: HashMap<ReservationId, bool>,
    /// Those that lost nodes that nothing can take the place of.
    lost: HashMap<ReservationId, Lost>,
    /// Held offers that do not fit, by reservation: their spans and numbers of nodes, by which offers of
    /// a reservation differ.
    withdrawn: HashMap<ReservationId, Vec<(Span, u32)>>,
}

impl DialogueService {
    /// Judges the book anew if anything changed.
    pub(super) async fn judge(&self) -> Result<(), TurnError> {
        let state = self.shared.state().await?;
        let changes = state.marks.map(|marks| marks.changes);
        let (memo, now) = (self.memo(), self.shared.now());
        let due = memo.next_end.is_some_and(|end| end <= now);
        if changes == memo.judged && !due {
            return Ok(());
        }
        let mut degraded = match memo.degraded {
            Some(degraded) => degraded,
            None => self.degraded_before().await?,
        };
        let lost = self.mend(&state).await?;
        let next_end = lost.values().map(|lost| lost.until).min();
        // Mending changes the book: the next turn judges what it became.
        let state = self.shared.state().await?;
        let all = Arc::new(state.with_all_grants());
        let judged = Arc::clone(&all);
        let fits = blocking(move || judged.everything_fits(now)).await?;
        if !fits || !degraded.is_empty() || !lost.is_empty() {
            let reservations = self.booking.live().await?;
            let verdict = self.verdict(all, &reservations, now).await?;
            let verdict = Verdict { lost, ..verdict };
            self.carry_out(&state, verdict, &reservations, &mut degraded).await?;
        }
        self.remember(|memo| {
            memo.judged = changes;
            if memo.degraded.as_ref() != Some(&degraded) {
                // Power is asked for in other names.
                memo.settled = None;
            }
            memo.degraded = Some(degraded);
            memo.next_end = next_end;
        });
        Ok(())
    }

    /// Those that were degraded before this replica took over.
    async fn degraded_before(&self) -> Result<HashMap<ReservationId, bool>, Fault> {
        let live = self.booking.live().await?;
        Ok(live.iter().filter(|it| it.degraded).map(|it| (it.id, it.lacks_power())).collect())
    }

    async fn verdict(
        &self,
        state: Arc<SiteState>,
        reservations: &[Reservation],
        now: Timestamp,
    ) -> Result<Verdict, Fault> {
        let order = self.shared.settings.negotiation.yield_order;
        let about = |it: &Reservation| {
            let confirmed = it.confirmed.unwrap_or(it.created);
            let known = (it.id, it.state_at(now), confirmed, it.priority, self.standing(it));
            (it.id.to_string(), known)
        };
        let known: HashMap<String, _> = reservations.iter().map(about).collect();
        blocking(move || {
            let (certain, mut held) = state.certain_and_held();
            let Some(mut headroom) = state.headroom(now) else { return Verdict::default() };
            let mut verdict = Verdict::default();
            let known_claims: Vec<(ReservationId, Claim)> = certain
                .into_iter()
                .filter_map(|booking| {
                    let &(id, now_is, confirmed, priority, standing) = known.get(&*booking.id)?;
                    let active = now_is == ReservationState::Active;
                    let (span, power) = (booking.span, booking.counted());
                    Some((id, Claim { span, power, active, confirmed, priority, standing }))
                })
                .collect();
            let claims: Vec<Claim> = known_claims.iter().map(|(_, claim)| *claim).collect();
            let kept = keep(&claims, order, &mut headroom);
            // One that got other nodes on its way holds several spans.
            for ((id, _), kept) in known_claims.iter().zip(kept) {
                *verdict.confirmed.entry(*id).or_insert(true) &= kept;
            }
            held.sort_by(|a, b| a.id.cmp(&b.id));
            for offers in held.chunk_by(|a, b| a.id == b.id) {
                let Some(&(id, ..)) = known.get(&*offers[0].id) else { continue };
                let (fit, gone): (Vec<&Booking>, Vec<&Booking>) =
                    offers.iter().partition(|it| headroom.fits(it.span, it.counted()));
                for (span, power) in largest(&fit) {
                    headroom.take(span, power);
                }
                if !gone.is_empty() {
                    let gone = gone.iter().map(|it| (it.span, it.ranks.count())).collect();
                    verdict.withdrawn.insert(id, gone);
                }
            }
            verdict
        })
        .await
    }

    /// What sorts reservations that compete, by priority and share as the site weighs them: the higher goes first. Of those
    /// that were asked for before shares decided, the share counts as unused.
    pub(super) fn standing(&self, reservation: &Reservation) -> i64 {
        let factor = reservation.share_factor.unwrap_or(ShareFactor::BEST);
        let decides = self.shared.settings.shares.decides;
        decides.map_or(0, |decides| decides.weights.standing(reservation.priority, factor))
    }

    /// Writes down what changed, and tells the owners.
    async fn carry_out(
        &self,
        state: &Arc<SiteState>,
        verdict: Verdict,
        reservations: &[Reservation],
        degraded: &mut HashMap<ReservationId, bool>,
    ) -> Result<(), TurnError> {
        let now = self.shared.now();
        for stored in reservations {
            if let Some(gone) = verdict.withdrawn.get(&stored.id) {
                self.withdraw(stored, gone, now).await?;
            }
            if stored.chosen.is_none() {
                continue;
            }
            let lacks_power = verdict.confirmed.get(&stored.id) == Some(&false);
            let power = lacks_power.then_some(self.shared.settings.negotiation.yield_order);
            let causes = Causes { lost: verdict.lost.get(&stored.id), power };
            if causes.is_none() {
                if stored.degraded
                    && self.shared.database.set_degraded(stored.id, false, None, now).await?
                {
                    metrics::counter!("wattbook_reservations_restored_total").increment(1);
                }
                degraded.remove(&stored.id);
            } else {
                if !causes.are_told(stored, &state.cluster) {
                    self.degrade(state, stored, &causes, reservations).await?;
                }
                degraded.insert(stored.id, lacks_power);
            }
        }
        degraded.retain(|id, _| reservations.iter().any(|stored| stored.id == *id));
        Ok(())
    }

    async fn withdraw(
        &self,
        stored: &Reservation,
        gone: &[(Span, u32)],
        now: Timestamp,
    ) -> Result<(), Fault> {
        let gone = stored.offers.iter().filter(|offer| {
            let terms = &offer.terms;
            gone.contains(&(terms.span, terms.nodes.count()))
        });
        let ids: Vec<_> = gone.map(|offer| offer.id).collect();
        let notice = offers_without_power(ids.clone(), now);
        if self.shared.database.withdraw_offers(stored.id, &ids, &notice, now).await? {
            metrics::counter!("wattbook_offers_withdrawn_total").increment(ids.len() as u64);
        }
        Ok(())
    }

    /// Flags a reservation and holds new starts for its owner, where there are any.
    async fn degrade(
        &self,
        state: &Arc<SiteState>,
        stored: &Reservation,
        causes: &Causes<'_>,
        reservations: &[Reservation],
    ) -> Result<(), TurnError> {
        let now = self.shared.now();
        let begun = stored.state_at(now) == ReservationState::Active;
        let held = reservations.iter().find(|it| {
            it.replaces == Some(stored.id) && it.state_at(now) == ReservationState::Proposed
        });
        let replacement = match held {
            Some(held) => Some(held.id),
            None if begun => None,
            None => self.new_starts(state, stored).await?,
        };
        let notice = causes.notice(&state.cluster, replacement, begun, now);
        if self.shared.database.set_degraded(stored.id, true, Some(&notice), now).await?
            && !stored.degraded
        {
            metrics::counter!("wattbook_reservations_degraded_total").increment(1);
        }
        Ok(())
    }

    /// Holds offers that take the reservation's place when one is chosen; `None` where none is
    /// possible.
    async fn new_starts(
        &self,
        state: &Arc<SiteState>,
        stored: &Reservation,
    ) -> Result<Option<ReservationId>, TurnError> {
        let Some(mut request) = self.booking.stored_request(stored, state) else {
            return Ok(None);
        };
        request.replaces = Some(stored.id);
        request.priority = stored.priority;
        request.on_cap = OnCap::Refuse;
        let access = Access::of(&stored.owner, CallerKind::Site);
        match self.booking.propose_replacing(access, &request).await {
            Ok(proposed) => Ok(Some(proposed.id())),
            Err(
                BookingError::Impossible(_)
                | BookingError::NotNegotiated(_)
                | BookingError::Quota(..)
                | BookingError::Quote(QuoteError::Invalid(_)),
            ) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
