//! Choices: one of a reservation's offers is confirmed.

use planner::identity::ReservationId;
use planner::reservation::{ChoiceRefused, OfferSelector, Reservation, ReservationState};
use planner::time::Timestamp;
use storage::{ChooseError, NewChoice};

use super::choose_together::ChoiceError;
use super::{BookingError, BookingRequest, BookingService, ChangedReservation, Expected};
use crate::config::slurm::ManagerSettings;
use crate::service::shared::{Access, SiteState};

/// How often a choice is judged anew when the reservation changes meanwhile.
const TRIES: usize = 16;

/// Which offer is chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    /// How the offer is named.
    pub selector: OfferSelector,
    /// What it must be; nothing in particular unless said.
    pub expected: Option<Expected>,
}

impl Choice {
    /// How the offer that is chosen differs from what is expected of it.
    fn differences(&self, reservation: &Reservation) -> Option<String> {
        let expected = self.expected.as_ref()?;
        let chosen = reservation.offer(self.selector)?;
        let differences = expected.differences(&chosen.terms);
        (!differences.is_empty()).then(|| differences.join(", "))
    }
}

impl BookingService {
    /// Confirms one of a reservation's offers.
    ///
    /// # Errors
    /// `OffersExpired` with what is possible now, `OfferChanged`, `WrongState`, `UnknownOffer`,
    /// `VersionMismatch`, `NoReservation`, `NotTheirs`, `HasJobs` where it takes the place of a reservation with jobs and
    /// the site does not want that; `BookChanged` where it changed again and again meanwhile.
    pub async fn choose(
        &self,
        access: Access<'_>,
        id: ReservationId,
        choice: &Choice,
        version: Option<i64>,
        state: &SiteState,
    ) -> Result<ChangedReservation, BookingError> {
        // The instant of arrival judges, however long the database takes.
        let now = self.shared.now();
        let managed = self.shared.settings.manager.as_ref().is_some_and(ManagerSettings::drives);
        for _ in 0..TRIES {
            let reservation = self.changeable(access, id).await?;
            self.check_replaced(access, &reservation).await?;
            // What is chosen already may have other nodes since; it is booked whatever they draw.
            let checks = choice.expected.is_some() && reservation.chosen.is_none();
            if checks && let Some(differences) = choice.differences(&reservation) {
                return Err(BookingError::OfferChanged { differences, decision: None });
            }
            // What was checked is what is confirmed: another state of it is looked at anew.
            let pinned = version.or_else(|| checks.then_some(reservation.row_version));
            let selector = choice.selector;
            let new = NewChoice { id, selector, now, expected_row_version: pinned };
            match self.choose_with_others(new, managed).await {
                Err(ChoiceError::Refused(ChooseError::Refused(
                    ChoiceRefused::VersionMismatch { .. },
                ))) if version.is_none() => {}
                chosen => {
                    let after = self.chosen(access, &reservation, chosen, now, state).await?;
                    return Ok(ChangedReservation { before: reservation, after });
                }
            }
        }
        Err(BookingError::BookChanged)
    }

    /// The answer to a choice.
    async fn chosen(
        &self,
        access: Access<'_>,
        reservation: &Reservation,
        chosen: Result<Reservation, ChoiceError>,
        now: Timestamp,
        state: &SiteState,
    ) -> Result<Reservation, BookingError> {
        let request = || self.stored_request(reservation, state);
        let refused = match chosen {
            Ok(mut chosen) => {
                metrics::counter!("wattbook_confirmations_total").increment(1);
                self.shared.manager_bell.notify_one();
                chosen.state = chosen.state_at(now);
                return Ok(chosen);
            }
            Err(ChoiceError::Refused(refused)) => refused,
            Err(ChoiceError::Fault(fault)) => return Err(fault.into()),
        };
        Err(match refused {
            ChooseError::Refused(
                ChoiceRefused::Expired { .. }
                | ChoiceRefused::NotProposed { state: ReservationState::Expired },
            ) => self.expired(access, request()).await?,
            ChooseError::Refused(ChoiceRefused::NotProposed { state }) => {
                BookingError::WrongState {
                    state: state.word().to_owned(),
                    way_out: "only a proposed reservation's offers can be chosen",
                }
            }
            ChooseError::NotFound => BookingError::NoReservation(reservation.id),
            ChooseError::Refused(ChoiceRefused::UnknownOffer) => BookingError::UnknownOffer,
            ChooseError::Refused(ChoiceRefused::VersionMismatch { .. }) => {
                BookingError::VersionMismatch
            }
            ChooseError::Storage(error) => error.into(),
        })
    }

    /// The answer to a late choice. `None` for the request: its window has
    /// passed, or nodes it names are gone.
    async fn expired(
        &self,
        access: Access<'_>,
        request: Option<BookingRequest>,
    ) -> Result<BookingError, BookingError> {
        Ok(match request {
            Some(request) => {
                let state = self.shared.state().await?;
                BookingError::OffersExpired(self.quote(access, state, &request, Box::new).await?)
            }
            None => BookingError::WrongState {
                state: "expired".to_owned(),
                way_out: "its window has passed, or nodes it names are gone; make a new request",
            },
        })
    }
}
