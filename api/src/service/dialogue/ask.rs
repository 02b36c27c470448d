//! Extra power: what is missing for requests that wait and for reservations that lost their power
//! is combined into one question, which is asked anew when it changes.
//!
//! For each request, in the order in which they came, the start is taken that would need the least
//! energy beyond the cap among those that nothing else beats (the Pareto front without a cap); of
//! equals the earliest. It is booked in thought before the next one is looked at, so that a watt is
//! asked for once only.

use planner::dialogue::{GrantState, missing};
use planner::identity::{NegotiationId, ReservationId};
use planner::reservation::{NoticeKind, Rejection, Reservation, ReservationState};
use planner::time::Timestamp;
use serde_json::json;
use storage::{
    Delivery, Direction, Negotiation, NegotiationFilter, NegotiationKind, NegotiationOutcome,
    NewMessage,
};
use uuid::Uuid;

use super::DialogueService;
use super::document::{Asker, PowerSpan, Subject};
use super::error::TurnError;
use crate::service::booking::{OnCap, left};
use crate::service::shared::{Fault, Party, blocking};

impl DialogueService {
    /// Asks for what is missing now, or ends the negotiation where nothing is.
    pub(super) async fn ask_for_power(&self, waiting: &[Reservation]) -> Result<(), TurnError> {
        if !self.shared.settings.negotiation.asks {
            return Ok(());
        }
        let open = self.shared.database.open_negotiation_of(NegotiationKind::ExtraPower).await?;
        if open.is_none() {
            self.release_leftovers().await?;
        }
        let subject = open.as_ref().map(Subject::of).transpose()?.unwrap_or_default();
        if subject.answer.is_some() {
            // Whoever asked had their turn, by `settle`.
            return Ok(self.end_question(open.as_ref(), &subject).await?);
        }
        let wanted = self.subject(waiting).await?;
        if wanted.power.is_empty() {
            return Ok(self.end_question(open.as_ref(), &subject).await?);
        }
        if open.is_some() && wanted == subject {
            return Ok(());
        }
        // Power may be missing before it is judged who gives way: whoever lacks it is asked for then.
        let nobody_waits = open.is_none() && wanted.reservations.is_empty();
        if nobody_waits && (wanted.degraded.is_empty() || self.said_no(&wanted).await?) {
            return Ok(());
        }
        Ok(self.put_question(open.as_ref(), &wanted, waiting).await?)
    }

    /// Lets everybody use what is set aside, where there is no question: closing one and releasing its
    /// grants are two writes, and an answer may come between them.
    async fn release_leftovers(&self) -> Result<(), Fault> {
        let state = self.shared.state().await?;
        if state.grants.iter().any(|grant| grant.state == GrantState::SetAside) {
            self.shared.database.release_grants(self.shared.now()).await?;
        }
        Ok(())
    }

    async fn put_question(
        &self,
        open: Option<&Negotiation>,
        wanted: &Subject,
        waiting: &[Reservation],
    ) -> Result<(), Fault> {
        let now = self.shared.now();
        let asked_until = waiting.iter().map(|stored| stored.expires).max();
        let deadline = asked_until.unwrap_or(now + self.shared.settings.negotiation.answer_within);
        let message = self.message(now, "request", &self.request(wanted, deadline));
        let subject = wanted.text()?;
        if let Some(open) = open {
            let subject = Some((subject.as_str(), Some(deadline)));
            self.shared.database.say(open.id, &[message], subject, None).await?;
        } else {
            let new = Negotiation {
                id: NegotiationId::new(Uuid::now_v7()),
                kind: NegotiationKind::ExtraPower,
                outcome: None,
                subject,
                opened: now,
                deadline: Some(deadline),
                closed: None,
            };
            self.shared.database.open_negotiation(&new, &[message]).await?;
        }
        metrics::counter!("wattbook_extra_power_questions_total").increment(1);
        Ok(())
    }

    /// The question as it is asked: each span with its part of the fee limit, by energy.
    fn request(&self, wanted: &Subject, deadline: Timestamp) -> serde_json::Value {
        let energy = |it: &PowerSpan| it.power_w * (it.end - it.start).get() as f64;
        let all: f64 = wanted.power.iter().map(energy).sum();
        let part = |it: &PowerSpan| {
            json!({
                "start": it.start,
                "end": it.end,
                "power_w": it.power_w,
                "fee_limit": wanted.fee_limit * energy(it) / all,
            })
        };
        json!({
            "power": wanted.power.iter().map(part).collect::<Vec<_>>(),
            "fee_limit": wanted.fee_limit,
            "currency": self.shared.settings.currency.code(),
            "reservations": wanted.reservations.len() + wanted.degraded.len(),
            "answer_by": deadline,
        })
    }

    /// A message of ours on its way.
    pub(super) fn message(
        &self,
        now: Timestamp,
        kind: &str,
        document: &serde_json::Value,
    ) -> NewMessage {
        let carrier = self.shared.settings.negotiation.carrier();
        let read = carrier == "api";
        NewMessage {
            said: now,
            direction: Direction::ToSupplier,
            kind: kind.to_owned(),
            carrier: carrier.to_owned(),
            document: document.to_string(),
            delivery: if read { Delivery::Delivered } else { Delivery::Waiting },
        }
    }

    /// Whether the last negotiation ended without all of what is missing still.
    async fn said_no(&self, wanted: &Subject) -> Result<bool, Fault> {
        let filter =
            NegotiationFilter { kind: Some(NegotiationKind::ExtraPower), open: Some(false) };
        let last = self.shared.database.negotiations(filter, None, 1).await?;
        let Some(last) = last.first() else { return Ok(false) };
        let withdrawn = last.outcome == Some(NegotiationOutcome::Withdrawn);
        Ok(!withdrawn && Subject::of(last)?.power == wanted.power)
    }

    /// Ends the negotiation, and lets everybody use what is left of grants.
    async fn end_question(
        &self,
        open: Option<&Negotiation>,
        subject: &Subject,
    ) -> Result<(), Fault> {
        let Some(open) = open else {
            return Ok(());
        };
        let now = self.shared.now();
        let grants = self.grants().await?;
        let some = grants.iter().any(|grant| {
            grant.negotiation_id == Some(open.id) && grant.state != GrantState::Revoked
        });
        let outcome = self.outcome(subject, some).await?;
        // What was asked for and not answered to the end nobody waits for any more.
        let withdrawal = match outcome {
            NegotiationOutcome::Withdrawn
            | NegotiationOutcome::Unanswered
            | NegotiationOutcome::PartlyGranted
                if subject.answer.is_none() =>
            {
                vec![self.message(now, "withdrawal", &json!({}))]
            }
            _ => Vec::new(),
        };
        self.shared.database.say(open.id, &withdrawal, None, Some((outcome, now))).await?;
        self.shared.database.release_grants(now).await?;
        Ok(())
    }

    /// How the negotiation ended for those who asked last; `some` was granted before.
    async fn outcome(&self, subject: &Subject, some: bool) -> Result<NegotiationOutcome, Fault> {
        let (mut served, mut rejected, mut unanswered) = (0, 0, 0);
        for asker in &subject.reservations {
            let stored = self.shared.database.reservation(ReservationId::new(asker.id)).await?;
            let Some(stored) = stored else { continue };
            match stored.state {
                ReservationState::Rejected => {
                    rejected += 1;
                    let kind = stored.notice.map(|notice| notice.kind);
                    let silence = Some(NoticeKind::Rejected(Rejection::Unanswered));
                    unanswered += usize::from(kind == silence);
                }
                ReservationState::Cancelled => {}
                _ => served += 1,
            }
        }
        let granted = subject.answer.as_ref().map(|word| word.granted);
        Ok(match (served, rejected, granted) {
            (0, 0, Some(true)) => NegotiationOutcome::Granted,
            (0, _, Some(false)) => NegotiationOutcome::Refused,
            (0, 0, None) => NegotiationOutcome::Withdrawn,
            (0, _, _) if rejected == unanswered && !some => NegotiationOutcome::Unanswered,
            (_, 0, _) => NegotiationOutcome::Granted,
            _ => NegotiationOutcome::PartlyGranted,
        })
    }

    /// What is missing for those who wait and those who lost their power.
    async fn subject(&self, waiting: &[Reservation]) -> Result<Subject, TurnError> {
        let mut state = self.shared.state().await?.with_all_grants();
        let (mut askers, mut requests) = (Vec::new(), Vec::new());
        for stored in waiting {
            let Some(mut request) = self.booking.stored_request(stored, &state) else {
                continue;
            };
            request.quotas_of = Some(stored.owner.clone());
            let fee_limit = match request.on_cap {
                OnCap::Negotiate { fee_limit } => fee_limit,
                OnCap::Refuse => 0.0,
            };
            askers.push(Asker { id: stored.id.as_uuid(), fee_limit });
            requests.push((stored.id.to_string(), request));
        }
        for (id, request) in requests {
            let least = self.booking.least_missing(Party::Site, &state, &request, id.into());
            if let Some(wanted) = least.await? {
                let booking = state.cluster.booking(wanted.id, wanted.span, wanted.ranks, None);
                state.book = state.book.clone().with([booking]);
            }
        }
        let (now, interval) = (self.shared.now(), self.shared.settings.negotiation.interval);
        let power = blocking(move || {
            left(&state, now, std::iter::empty()).map(|it| missing(&it, interval))
        });
        let power = power.await?;
        let memo = self.memo();
        let mut degraded: Vec<Uuid> = memo.without_power().map(ReservationId::as_uuid).collect();
        degraded.sort_unstable();
        Ok(Subject {
            power: power.unwrap_or_default().iter().map(PowerSpan::from).collect(),
            fee_limit: askers.iter().map(|asker| asker.fee_limit).sum(),
            reservations: askers,
            degraded,
            answer: None,
        })
    }
}
