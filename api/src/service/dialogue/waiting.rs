//! Requests that await the supplier: planned anew whenever the book, the cap or grants change.
//!
//! They wait in the order of their standing, by priority and share as the site weighs them, and else in that in which they came. One that has become possible, with what was set aside
//! for those who asked, is proposed; one whose time is up, or that the supplier's last word leaves
//! without power, is rejected with the reason.

use std::sync::Arc;

use planner::dialogue::GrantState;
use planner::fair_share::in_turn;
use planner::quantity::Money;
use planner::reservation::{Rejection, Reservation, ReservationState};
use planner::time::Timestamp;
use storage::{Filter, Negotiation, NegotiationKind, OfferError, PlanBasis, ProposeError};

use super::DialogueService;
use super::document::Subject;
use super::error::TurnError;
use super::notice::rejected;
use crate::service::booking::{QuoteError, draft};
use crate::service::shared::Party;

/// What is left of requests that wait after all were tried.
pub(super) struct StillWaiting {
    /// Those that go on waiting, in their order.
    pub(super) requests: Vec<Reservation>,
    /// The count of changes at which they were tried; `None` where one could not be.
    pub(super) changes: Option<i64>,
}

impl DialogueService {
    /// Tries every request that waits, if anything changed; `None` where nothing did. Whoever
    /// deals with what is left remembers its count of changes as `settled`.
    pub(super) async fn settle_waiting(&self) -> Result<Option<StillWaiting>, TurnError> {
        let (now, memo) = (self.shared.now(), self.memo());
        let changes = self.shared.state().await?.marks.map(|marks| marks.changes);
        let due = memo.next_deadline.is_some_and(|deadline| deadline <= now);
        let nothing_changed = memo.settled == changes && !due;
        if nothing_changed && !memo.asking {
            return Ok(None);
        }
        let asked = self.shared.database.open_negotiation_of(NegotiationKind::ExtraPower).await?;
        // An answer is no change of the book.
        let subject = asked.as_ref().map(Subject::of).transpose()?;
        let answered = subject.is_some_and(|subject| subject.answer.is_some());
        if nothing_changed && !answered {
            return Ok(None);
        }
        let states = vec![ReservationState::AwaitingSupplier];
        let filter = Filter { states, ..Filter::default() };
        let mut waiting = self.booking.all_reservations(filter).await?;
        // They are read in the order in which they came, which stays that of equals.
        in_turn(&mut waiting, |it| self.standing(it));
        let (mut left, mut failed) = (Vec::new(), false);
        for stored in waiting {
            match self.settled(&stored, asked.as_ref(), now).await {
                Ok(true) => {}
                Ok(false) => left.push(stored),
                // One that cannot be planned holds up no other, and is tried again.
                Err(error) => {
                    failed = true;
                    let (id, error) = (stored.id, format!("{:#}", anyhow::Error::from(error)));
                    tracing::warn!(%id, error, "could not settle a request that waits");
                    left.push(stored);
                }
            }
        }
        self.remember(|memo| {
            memo.settled = None;
            memo.next_deadline = left.iter().map(|stored| stored.expires).min();
            memo.asking =
                asked.is_some() || !left.is_empty() || memo.without_power().next().is_some();
        });
        Ok(Some(StillWaiting { requests: left, changes: changes.filter(|_| !failed) }))
    }

    /// Proposes or rejects a request that waits; `false` where it goes on waiting.
    async fn settled(
        &self,
        stored: &Reservation,
        asked: Option<&Negotiation>,
        now: Timestamp,
    ) -> Result<bool, TurnError> {
        let subject = asked.map(Subject::of).transpose()?.unwrap_or_default();
        match self.offered(stored, asked, &subject).await {
            Ok(true) => return Ok(true),
            // Its time is up, whatever keeps it from being planned.
            Err(error) if stored.expires > now => return Err(error),
            Ok(false) | Err(_) => {}
        }
        let was_asked = subject.reservations.iter().any(|asker| asker.id == stored.id.as_uuid());
        let (rejection, detail) = match &subject.answer {
            Some(word) if was_asked && word.granted => (
                Rejection::PartlyGranted,
                "what the supplier granted is not enough for this request".into(),
            ),
            Some(word) if was_asked => (Rejection::Refused, word.reason.clone()),
            _ if stored.expires <= now => {
                (Rejection::Unanswered, "the supplier did not answer in time".to_owned())
            }
            _ => return Ok(false),
        };
        self.shared.database.reject(stored.id, &rejected(rejection, detail, now), now).await?;
        let outcome = rejection.word();
        metrics::counter!("wattbook_extra_power_requests_total", "outcome" => outcome).increment(1);
        Ok(true)
    }

    /// Proposes a request if it is possible with all grants; `false` where it is not.
    async fn offered(
        &self,
        stored: &Reservation,
        asked: Option<&Negotiation>,
        subject: &Subject,
    ) -> Result<bool, TurnError> {
        let _booking = self.shared.pool.site_turn().await;
        let state = self.shared.state().await?;
        let Some(basis) = state.marks.map(PlanBasis::from) else { return Ok(false) };
        let Some(mut request) = self.booking.stored_request(stored, &state) else {
            return Ok(false);
        };
        request.quotas_of = Some(stored.owner.clone());
        let set_aside = state.grants.iter().filter(|grant| {
            grant.state == GrantState::SetAside
                && grant.negotiation_id == asked.map(|asked| asked.id)
        });
        let fees: i64 = set_aside.map(|grant| grant.fee_millionths).sum();
        let fees = Money::from_millionths(fees, self.shared.settings.currency);
        let fee = subject.share(stored.id, fees);
        let all = Arc::new(state.with_all_grants());
        let drafted = match self
            .booking
            .plan(Party::Booking, all, &request, move |planned| draft(&planned, fee))
            .await
        {
            Ok(Ok(drafted)) => drafted,
            Ok(Err(_)) | Err(QuoteError::Invalid(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let now = self.shared.now();
        let by_share = self.shared.settings.shares.decides.zip(stored.share_factor);
        let hold = by_share.map(|(decides, factor)| decides.hold.at(factor));
        let expires = now + hold.unwrap_or(self.shared.settings.hold);
        let (id, offers) = (stored.id, &drafted.offers);
        match self.shared.database.offer(basis, id, &drafted.summary, offers, expires, now).await {
            Ok(()) => {
                metrics::counter!("wattbook_extra_power_requests_total", "outcome" => "proposed")
                    .increment(1);
                Ok(true)
            }
            Err(OfferError::NotFound | OfferError::NotAwaitingSupplier { .. }) => Ok(true),
            Err(OfferError::Propose(ProposeError::Storage(error))) => Err(error.into()),
            // The book changed meanwhile: the next look tries again.
            Err(OfferError::Propose(_)) => Ok(false),
        }
    }
}
