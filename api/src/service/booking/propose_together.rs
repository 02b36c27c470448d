//! Proposals that wait are made together: each is planned on what those before it hold, and one transaction writes them all.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use storage::{IdempotencyRecord, NewReservation, PlanBasis, ProposeError};
use tokio::sync::oneshot;

use super::holds::HeldSoFar;
use super::proposal_queue::{Asked, PROPOSED, Proposed, Waiting};
use super::{BookingError, BookingService};
use crate::service::shared::{CallerKind, Fault, IdempotencyKey, Party, SiteState, Turn};

/// So many are made together at the most.
const MOST_TOGETHER: usize = 64;

/// What is planned by then is written: those who come next wait no longer for it.
const PLANNED_WITHIN: Duration = Duration::from_millis(20);

/// How often proposals are planned anew when other processes change the book meanwhile.
const TRIES: usize = 8;

/// A proposal that waits to be made.
type WaitingProposal = Waiting<Asked>;

/// What is to become of a proposal once those made with it are written.
enum Planned {
    /// It is written with them, as the reservation of this id.
    New(ReservationId),
    /// It was answered before, or is refused.
    Answered(Result<Proposed, BookingError>),
}

/// What became of proposals that were made together.
enum Outcome {
    /// All are answered.
    Answered,
    /// They are to be planned anew.
    Anew(Vec<WaitingProposal>),
    /// They are to be written each alone.
    Alone(Vec<WaitingProposal>),
}

/// A group that is planned.
struct PlannedGroup {
    basis: PlanBasis,
    /// What is written.
    new: Vec<NewReservation>,
    /// The answers that are remembered.
    answers: Vec<IdempotencyRecord>,
    planned: Vec<(WaitingProposal, Planned)>,
}

impl BookingService {
    /// Makes a proposal in its turn, with others that wait.
    pub(super) async fn propose_in_turn(
        &self,
        party: Party,
        asked: Asked,
    ) -> Result<Proposed, BookingError> {
        let (answer, mut answered) = oneshot::channel();
        let key = asked.key.as_ref().map(|key| (asked.owner.clone(), key.key.clone()));
        let place = self.proposals.enqueue((party.clone(), key), asked, answer);
        let turn = tokio::select! {
            biased;
            answer = &mut answered => return answer.unwrap_or_else(|_| Err(not_answered())),
            turn = self.shared.pool.booking_turn(party) => turn?,
        };
        let (service, number) = (self.clone(), place.number());
        // Those who wait with this one are not left alone where its client goes away.
        tokio::spawn(async move { service.propose_next(number, turn).await });
        answered.await.unwrap_or_else(|_| Err(not_answered()))
    }

    /// Makes the proposals that are next.
    async fn propose_next(&self, first: u64, _turn: Turn) {
        // What quotas count is read as it is written, so that each waits for what is before it.
        let has_quotas = self.shared.settings.quotas.quotas.is_some();
        let next = self.proposals.next(first, if has_quotas { 1 } else { MOST_TOGETHER });
        let Some(alone) = self.propose_until_done(next).await else { return };
        // One of them cannot be written, and keeps nobody else from it.
        for waiting in alone {
            self.propose_until_done(vec![waiting]).await;
        }
    }

    /// Plans proposals and writes them, anew where other processes change the book meanwhile; those to be written
    /// each alone, where several cannot be written together.
    async fn propose_until_done(
        &self,
        mut next: Vec<WaitingProposal>,
    ) -> Option<Vec<WaitingProposal>> {
        for _ in 0..TRIES {
            next.retain(|it| !it.answer.is_closed());
            if next.is_empty() {
                return None;
            }
            next = match self.propose_group(next).await {
                Outcome::Answered => return None,
                Outcome::Anew(again) => again,
                Outcome::Alone(each) => return Some(each),
            };
        }
        for waiting in next {
            let _ = waiting.answer.send(Err(BookingError::BookChanged));
        }
        None
    }

    /// Plans proposals and writes them.
    async fn propose_group(&self, next: Vec<WaitingProposal>) -> Outcome {
        let PlannedGroup { basis, new, answers, planned } = match self.plan_group(next).await {
            Ok(planned) => planned,
            Err((waiting, fault)) => {
                refuse_all(waiting, &fault);
                return Outcome::Answered;
            }
        };
        if new.is_empty() {
            answer_all(planned, Vec::new());
            return Outcome::Answered;
        }
        let now = self.shared.now();
        match self.shared.database.propose_all(basis, &new, now, &answers).await {
            Ok(proposed) => {
                if new.iter().any(|it| it.offers.is_empty()) {
                    self.shared.dialogue_bell.notify_one();
                }
                metrics::counter!("wattbook_proposals_total").increment(new.len() as u64);
                answer_all(planned, proposed);
                Outcome::Answered
            }
            Err(
                ProposeError::BookChanged { .. }
                | ProposeError::HoldChosen
                | ProposeError::DoubleBooking
                | ProposeError::IdempotencyKeyReused
                | ProposeError::UnknownNodes { .. },
            ) => Outcome::Anew(planned.into_iter().map(|(waiting, _)| waiting).collect()),
            Err(ProposeError::Storage(error)) => {
                let waiting = planned.into_iter().map(|(waiting, _)| waiting);
                if new.len() > 1 && !error.is_passing() {
                    return Outcome::Alone(waiting.collect());
                }
                refuse_all(waiting, &error.into());
                Outcome::Answered
            }
        }
    }

    /// Plans proposals, each on what those before it are to hold. What is not come to in time is put back.
    async fn plan_group(
        &self,
        next: Vec<WaitingProposal>,
    ) -> Result<PlannedGroup, (Vec<WaitingProposal>, Fault)> {
        let mut state = match self.shared.state().await {
            Ok(state) => state,
            Err(fault) => return Err((next, fault)),
        };
        let Some(basis) = state.marks.map(PlanBasis::from) else {
            return Err((next, Fault::Internal(anyhow::anyhow!("no state was read"))));
        };
        let mut held = match self.held_by_askers(&state, &next).await {
            Ok(held) => held,
            Err(fault) => return Err((next, fault)),
        };
        let (began, mut planned) = (Instant::now(), Vec::with_capacity(next.len()));
        let (mut new, mut answers) = (Vec::new(), Vec::new());
        let mut next = next.into_iter();
        for waiting in next.by_ref() {
            let asked = &waiting.asked;
            let outcome = match self.planned(&mut state, asked, held.get_mut(&asked.owner)).await {
                Ok(Ok(it)) => {
                    let key = asked.key.as_ref();
                    let record = |key: &IdempotencyKey| {
                        key.record(&it.owner, PROPOSED, it.id.as_uuid(), it.created)
                    };
                    answers.extend(key.map(record));
                    let id = it.id;
                    new.push(it);
                    Planned::New(id)
                }
                Ok(Err(before)) => Planned::Answered(Ok(before)),
                Err(error) => Planned::Answered(Err(error)),
            };
            planned.push((waiting, outcome));
            if began.elapsed() > PLANNED_WITHIN {
                break;
            }
        }
        self.proposals.put_back(next);
        Ok(PlannedGroup { basis, new, answers, planned })
    }

    /// What is to be written of a proposal, which holds its nodes in the state from then on; or what was answered before.
    async fn planned(
        &self,
        state: &mut Arc<SiteState>,
        asked: &Asked,
        held: Option<&mut HeldSoFar>,
    ) -> Result<Result<NewReservation, Proposed>, BookingError> {
        let (owner, request) = (asked.owner.as_str(), &asked.request);
        // The same request may have been booked while this one waited or was planned.
        if let Some(before) = self.proposed_before(owner, asked.key.as_ref()).await? {
            return Ok(Err(before));
        }
        // What others book on somebody's behalf counts, and is not limited.
        let is_limited = asked.kind == CallerKind::User;
        if let Some(held) = held.as_ref().filter(|_| is_limited) {
            held.admit_one_more(&self.shared.settings.limits)?;
        }
        let drafted = match self.drafted(state, request).await {
            Ok(drafted) => drafted,
            // The same request may have been booked by another process, which makes it impossible.
            Err(
                error @ (BookingError::Impossible(_)
                | BookingError::NotNegotiated(_)
                | BookingError::Quota(..)),
            ) => {
                let before = self.proposed_before(owner, asked.key.as_ref()).await?;
                return before.map_or(Err(error), |it| Ok(Err(it)));
            }
            Err(error) => return Err(error),
        };
        self.admit(&drafted, request, asked.at_most, state).await?;
        if let Some(held) = held.as_ref().filter(|_| is_limited) {
            held.admit(self.most_held_h(asked.share), state, &drafted.offers)?;
        }
        let new = self.new_reservation(asked, drafted);
        if let Some(held) = held {
            held.add(&new.offers, new.expires);
        }
        // Nobody else has it by now, so that it is changed in place.
        Arc::make_mut(state).hold_offers(new.id, &new.offers, new.expires);
        Ok(Ok(new))
    }

    /// What the proposals of those hold who ask, where that is limited.
    async fn held_by_askers(
        &self,
        state: &Arc<SiteState>,
        next: &[WaitingProposal],
    ) -> Result<HashMap<String, HeldSoFar>, Fault> {
        let limited = next.iter().filter(|it| it.asked.kind == CallerKind::User);
        let mut held = HashMap::new();
        for WaitingProposal { asked: Asked { owner, .. }, .. } in limited {
            if !held.contains_key(owner) {
                held.insert(owner.clone(), self.held_by_user(owner, state, None).await?);
            }
        }
        Ok(held)
    }
}

/// The error of who is not answered.
fn not_answered() -> BookingError {
    Fault::Internal(anyhow::anyhow!("the task that makes proposals ended early")).into()
}

/// Answers those who wait once what was planned is written.
fn answer_all(planned: Vec<(WaitingProposal, Planned)>, proposed: Vec<Reservation>) {
    let mut proposed: HashMap<ReservationId, Reservation> =
        proposed.into_iter().map(|it| (it.id, it)).collect();
    for (waiting, planned) in planned {
        let answer = match planned {
            Planned::Answered(answer) => answer,
            Planned::New(id) => match proposed.remove(&id) {
                Some(reservation) => Ok(Proposed::New(Box::new(reservation))),
                None => Err(not_answered()),
            },
        };
        // Who has gone away need not know.
        let _ = waiting.answer.send(answer);
    }
}

/// Tells those who wait why nothing is proposed.
fn refuse_all(waiting: impl IntoIterator<Item = WaitingProposal>, fault: &Fault) {
    for waiting in waiting {
        let _ = waiting.answer.send(Err(fault.again().into()));
    }
}
