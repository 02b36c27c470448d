//! Reservations that are asked for while others are read are read next, at once; and so is what is told of them.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{Expectation, Reservation};
use storage::Occurrence;
use tokio::sync::oneshot;

use super::BookingService;
use crate::service::shared::Fault;

/// Who waits for a reservation.
pub(super) struct WaitingRead {
    id: ReservationId,
    answer: oneshot::Sender<Result<Option<Reservation>, Fault>>,
}

/// Who waits for what is told of a reservation.
pub(super) struct WaitingTold {
    reservation: Reservation,
    answer: oneshot::Sender<Result<ToldBeside, Fault>>,
}

/// What is told of a reservation beside what is stored of itself.
#[derive(Debug, Default)]
pub struct ToldBeside {
    /// What is expected of its offers by newer agendas.
    pub expected: Option<Expectation>,
    /// Its place in a series.
    pub occurrence: Option<Occurrence>,
}

impl BookingService {
    /// What is told of a reservation beside what is stored of itself.
    ///
    /// # Errors
    /// The database cannot be reached, or what it keeps cannot be read.
    pub async fn told_beside(&self, stored: &Reservation) -> Result<ToldBeside, Fault> {
        let (answer, answered) = oneshot::channel();
        let service = self.clone();
        let waiting = WaitingTold { reservation: stored.clone(), answer };
        self.told.push(waiting, move |waiting| service.clone().tell_waiting(waiting));
        answered.await.unwrap_or_else(|_| Err(ended_early()))
    }

    async fn tell_waiting(self, mut waiting: Vec<WaitingTold>) {
        waiting.retain(|it| !it.answer.is_closed());
        let (reservations, answers): (Vec<Reservation>, Vec<_>) =
            waiting.into_iter().map(|it| (it.reservation, it.answer)).unzip();
        let read = async {
            let expected = self.expected_of(&reservations).await?;
            Ok::<_, Fault>((expected, self.occurrences_of(&reservations).await?))
        };
        match read.await {
            Ok((expected, occurrences)) => {
                for (Reservation { id, .. }, answer) in reservations.into_iter().zip(answers) {
                    let (expected, occurrence) =
                        (expected.get(&id).cloned(), occurrences.get(&id).cloned());
                    let _ = answer.send(Ok(ToldBeside { expected, occurrence }));
                }
            }
            Err(fault) => {
                for answer in answers {
                    let _ = answer.send(Err(fault.again()));
                }
            }
        }
    }

    /// A reservation as it is stored: what was written before this was called is in it.
    pub(super) async fn stored(&self, id: ReservationId) -> Result<Option<Reservation>, Fault> {
        let (answer, answered) = oneshot::channel();
        let service = self.clone();
        let waiting = WaitingRead { id, answer };
        self.reads.push(waiting, move |waiting| service.clone().read_waiting(waiting));
        answered.await.unwrap_or_else(|_| Err(ended_early()))
    }

    async fn read_waiting(self, mut waiting: Vec<WaitingRead>) {
        // Who has gone away wants nothing.
        waiting.retain(|it| !it.answer.is_closed());
        let ids: Vec<ReservationId> = waiting.iter().map(|it| it.id).collect();
        match self.shared.database.reservations_by_id(&ids).await.map_err(Fault::from) {
            Ok(found) => {
                let found: HashMap<ReservationId, Reservation> =
                    found.into_iter().map(|it| (it.id, it)).collect();
                for WaitingRead { id, answer } in waiting {
                    let _ = answer.send(Ok(found.get(&id).cloned()));
                }
            }
            Err(fault) => {
                for WaitingRead { answer, .. } in waiting {
                    let _ = answer.send(Err(fault.again()));
                }
            }
        }
    }
}

/// The error of who is not answered.
fn ended_early() -> Fault {
    Fault::Internal(anyhow::anyhow!("the task that reads reservations ended early"))
}
