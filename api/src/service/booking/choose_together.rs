//! Choices that come while others are written are written next, in one transaction.

use std::collections::HashSet;

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use storage::{ChooseError, NewChoice};
use tokio::sync::oneshot;

use super::BookingService;
use crate::service::shared::Fault;

/// A choice to be written, and who waits for it.
pub(super) struct WaitingChoice {
    choice: NewChoice,
    managed: bool,
    answer: oneshot::Sender<Result<Reservation, ChoiceError>>,
}

/// Why a choice was not written.
pub(super) enum ChoiceError {
    /// It is refused.
    Refused(ChooseError),
    /// What any service may meet.
    Fault(Fault),
}

impl BookingService {
    /// Writes a choice, with others that wait. Where nodes are `managed`, the resource manager is to have the reservation.
    pub(super) async fn choose_with_others(
        &self,
        choice: NewChoice,
        managed: bool,
    ) -> Result<Reservation, ChoiceError> {
        let (answer, answered) = oneshot::channel();
        let service = self.clone();
        let waiting = WaitingChoice { choice, managed, answer };
        self.choices.push(waiting, move |waiting| service.clone().choose_waiting(waiting));
        let ended_early = || anyhow::anyhow!("the task that writes choices ended early");
        answered.await.unwrap_or_else(|_| Err(ChoiceError::Fault(Fault::Internal(ended_early()))))
    }

    /// Writes choices: of each reservation one at a time.
    async fn choose_waiting(self, mut waiting: Vec<WaitingChoice>) {
        // Who has gone away wants nothing.
        waiting.retain(|it| !it.answer.is_closed());
        while !waiting.is_empty() {
            let mut reservations: HashSet<ReservationId> = HashSet::new();
            let managed = waiting[0].managed;
            let is_next =
                |it: &mut WaitingChoice| it.managed == managed && reservations.insert(it.choice.id);
            let next: Vec<WaitingChoice> = waiting.extract_if(.., is_next).collect();
            if let Some(each) = self.choose_group(next, managed).await {
                for waiting in each {
                    self.choose_group(vec![waiting], managed).await;
                }
            }
        }
    }

    /// Writes choices of different reservations; those to be written each alone, where they cannot be written together.
    async fn choose_group(
        &self,
        group: Vec<WaitingChoice>,
        managed: bool,
    ) -> Option<Vec<WaitingChoice>> {
        let choices: Vec<NewChoice> = group.iter().map(|it| it.choice).collect();
        match self.shared.database.choose_all(&choices, managed).await {
            Ok(chosen) => {
                for (waiting, chosen) in group.into_iter().zip(chosen) {
                    // Who has gone away need not know.
                    let _ = waiting.answer.send(chosen.map_err(ChoiceError::Refused));
                }
                None
            }
            Err(error) if group.len() > 1 && !error.is_passing() => Some(group),
            Err(error) => {
                let fault = Fault::from(error);
                for waiting in group {
                    let _ = waiting.answer.send(Err(ChoiceError::Fault(fault.again())));
                }
                None
            }
        }
    }
}
