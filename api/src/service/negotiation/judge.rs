//! The book judged by outages and by the cap, grants included: who keeps what was promised.
//!
//! Outages come first (`mend`). For power the rule is [`keep`]'s: active reservations first, then
//! confirmed ones by the site's order, then held offers, the oldest first. Confirmed ones that give
//! way, or lost nodes that nothing can take the place of, are flagged `degraded` and their owners
//! offered new starts; held offers that give way are withdrawn. Where everything fits, which is nearly
//! always, it costs one sum over the book.

use std::collections::HashMap;
use std::sync::Arc;

use planner::agenda::Agenda;
use planner::book::Booking;
use planner::dialogue::{Claim, keep};
use planner::headroom::Headroom;
use planner::quantity::Power;
use planner::time::{Span, Timestamp};
use serde_json::json;
use storage::{Filter, ReservationId, ReservationState, StoredReservation};

use super::super::{Access, Service, ServiceError};
use super::notice::{Causes, lacks_power};
use super::repair::Lost;
use crate::service::State;
use crate::service::shared::blocking;
use crate::service::{CallerKind, Proposed, stored_wish};

/// Reservations that are read together.
const PAGE: u16 = 500;

/// What does not fit any more.
#[derive(Default)]
struct Verdict {
    /// Confirmed reservations, and whether each keeps its power.
    confirmed: HashMap<ReservationId, bool>,
    /// Those that lost nodes that nothing can take the place of.
    lost: HashMap<ReservationId, Lost>,
    /// Spans of held offers that do not fit, by reservation.
    withdrawn: HashMap<ReservationId, Vec<Span>>,
}

impl Service {
    /// Judges the book anew if anything changed.
    pub(super) async fn judge(&self) -> Result<(), ServiceError> {
        let state = self.state().await?;
        let changes = state.marks.map(|marks| marks.changes);
        let (memo, now) = (self.negotiations.memo(), self.now());
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
        let state = self.state().await?;
        let all = Arc::new(state.with_all_grants());
        let judged = Arc::clone(&all);
        let fits = blocking(move || everything_fits(&judged, now)).await?;
        if !fits || !degraded.is_empty() || !lost.is_empty() {
            let reservations = self.live().await?;
            let verdict = self.verdict(all, &reservations, now).await?;
            let verdict = Verdict { lost, ..verdict };
            self.carry_out(&state, verdict, &reservations, &mut degraded).await?;
        }
        self.negotiations.remember(|memo| {
            memo.judged = changes;
            memo.degraded = Some(degraded);
            memo.next_end = next_end;
        });
        Ok(())
    }

    /// Reservations that hold power and have yet to end.
    pub(super) async fn live(&self) -> Result<Vec<StoredReservation>, ServiceError> {
        let states =
            [ReservationState::Proposed, ReservationState::Confirmed, ReservationState::Active];
        let from = Some(self.now());
        self.all_reservations(Filter { states: states.to_vec(), from, ..Filter::default() }).await
    }

    /// All reservations that pass a filter, page by page.
    pub(super) async fn all_reservations(
        &self,
        filter: Filter,
    ) -> Result<Vec<StoredReservation>, ServiceError> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.database.reservations(&filter, after, PAGE).await?;
            after = page.last().map(|last| last.id);
            let is_last = page.len() < usize::from(PAGE);
            all.extend(page);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Those that were degraded before this replica took over.
    async fn degraded_before(&self) -> Result<HashMap<ReservationId, bool>, ServiceError> {
        let live = self.live().await?;
        Ok(live.iter().filter(|it| it.degraded).map(|it| (it.id, lacks_power(it))).collect())
    }

    async fn verdict(
        &self,
        state: Arc<State>,
        reservations: &[StoredReservation],
        now: Timestamp,
    ) -> Result<Verdict, ServiceError> {
        let order = self.settings.negotiation.yield_order;
        let about = |it: &StoredReservation| {
            let known = (it.id, it.state_at(now), it.confirmed.unwrap_or(it.created), it.priority);
            (it.id.to_string(), known)
        };
        let known: HashMap<String, _> = reservations.iter().map(about).collect();
        blocking(move || {
            let (certain, mut held) = state.certain_and_held();
            let Some(mut headroom) = headroom(&state, now) else { return Verdict::default() };
            let mut verdict = Verdict::default();
            let known_claims: Vec<(ReservationId, Claim)> = certain
                .into_iter()
                .filter_map(|booking| {
                    let &(id, now_is, confirmed, priority) = known.get(&*booking.id)?;
                    let active = now_is == ReservationState::Active;
                    let (span, power) = (booking.span, booking.counted());
                    Some((id, Claim { span, power, active, confirmed, priority }))
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
                headroom.take_all(largest(&fit));
                if !gone.is_empty() {
                    verdict.withdrawn.insert(id, gone.iter().map(|it| it.span).collect());
                }
            }
            verdict
        })
        .await
        .map_err(Into::into)
    }

    /// Writes down what changed, and tells the owners.
    async fn carry_out(
        &self,
        state: &Arc<State>,
        verdict: Verdict,
        reservations: &[StoredReservation],
        degraded: &mut HashMap<ReservationId, bool>,
    ) -> Result<(), ServiceError> {
        let now = self.now();
        for stored in reservations {
            if let Some(spans) = verdict.withdrawn.get(&stored.id) {
                self.withdraw(stored, spans, now).await?;
            }
            if stored.chosen.is_none() {
                continue;
            }
            let lacks_power = verdict.confirmed.get(&stored.id) == Some(&false);
            let power = lacks_power.then(|| self.settings.negotiation.yield_order.word());
            let causes = Causes { lost: verdict.lost.get(&stored.id), power };
            if causes.is_none() {
                if stored.degraded
                    && self.database.set_degraded(stored.id, false, None, now).await?
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
        stored: &StoredReservation,
        spans: &[Span],
        now: Timestamp,
    ) -> Result<(), ServiceError> {
        let gone = stored.offers.iter().filter(|offer| spans.contains(&offer.span));
        let ids: Vec<_> = gone.map(|offer| offer.id).collect();
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let notice = json!({
            "code": "offers_withdrawn",
            "at": now,
            "detail": "the supplier lowered the power cap below what these offers need",
            "offer_ids": names,
            "way_out": "choose another offer, or make a new request",
        });
        if self.database.withdraw_offers(stored.id, &ids, &notice.to_string(), now).await? {
            metrics::counter!("wattbook_offers_withdrawn_total").increment(ids.len() as u64);
        }
        Ok(())
    }

    /// Flags a reservation and holds new starts for its owner, where there are any.
    async fn degrade(
        &self,
        state: &Arc<State>,
        stored: &StoredReservation,
        causes: &Causes<'_>,
        reservations: &[StoredReservation],
    ) -> Result<(), ServiceError> {
        let now = self.now();
        let begun = stored.state_at(now) == ReservationState::Active;
        let held = reservations.iter().find(|it| {
            it.replaces == Some(stored.id) && it.state_at(now) == ReservationState::Proposed
        });
        let replacement = match held {
            Some(held) => Some(held.id),
            None if begun => None,
            None => self.new_starts(state, stored).await?,
        };
        let notice = causes.notice(&state.cluster, replacement, begun, now).to_string();
        if self.database.set_degraded(stored.id, true, Some(&notice), now).await?
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
        state: &Arc<State>,
        stored: &StoredReservation,
    ) -> Result<Option<ReservationId>, ServiceError> {
        let Some(mut wish) = stored_wish(&stored.request, self, state) else { return Ok(None) };
        wish.replaces = Some(stored.id);
        wish.priority = stored.priority;
        wish.on_cap = super::super::OnCap::Refuse;
        let access = Access { owner: &stored.owner, kind: CallerKind::Site };
        match self.propose_replacing(access, &wish).await {
            Ok(Proposed::New(id) | Proposed::Before(id)) => Ok(Some(id)),
            Err(
                ServiceError::Impossible(_)
                | ServiceError::NotNegotiated(_)
                | ServiceError::Invalid(_),
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What the cap leaves from `now` to the end of the book, beside what counts whatever is reserved;
/// `None` where there is no cap or no booking to come.
fn headroom(state: &State, now: Timestamp) -> Option<Headroom> {
    let cap: &Agenda<Power> = state.agendas.power_cap.as_ref()?;
    let end = state.book.bookings().iter().map(|booking| booking.span.end()).max()?;
    let window = Span::new(now, end)?;
    let spans = state.book.bookings().iter().map(|booking| booking.span);
    Some(Headroom::before_claims(cap, state.cluster.base_power, window, spans))
}

/// For each instant the most that one of the alternatives counts.
fn largest(alternatives: &[&Booking]) -> Vec<(Span, Power)> {
    let mut edges: Vec<Timestamp> =
        alternatives.iter().flat_map(|it| [it.span.start(), it.span.end()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let spans = edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1]));
    let most = |span: Span| {
        let during = alternatives.iter().filter(|it| it.span.overlaps(span));
        during.map(|it| it.counted()).max().map(|most| (span, most))
    };
    spans.filter_map(most).collect()
}

/// What the whole book counts, held offers with the largest of their alternatives.
pub(super) fn claims(state: &State) -> Vec<(Span, Power)> {
    let (certain, mut held) = state.certain_and_held();
    let mut claims: Vec<_> = certain.iter().map(|it| (it.span, it.counted())).collect();
    held.sort_by(|a, b| a.id.cmp(&b.id));
    claims.extend(held.chunk_by(|a, b| a.id == b.id).flat_map(largest));
    claims
}

fn everything_fits(state: &State, now: Timestamp) -> bool {
    let Some(mut headroom) = headroom(state, now) else { return true };
    headroom.take_all(claims(state));
    let zero = Power::ZERO;
    headroom.steps().iter().all(|&(_, left)| left >= zero)
}
