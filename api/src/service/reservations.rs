//! Reservations: read, choose, cancel.

use planner::time::Timestamp;
use storage::{
    ChooseError, EndError, Ending, Filter, OfferSelector, ReservationId, ReservationState,
    StoredReservation,
};

use super::shared::Access;
use super::{Expected, Service, ServiceError, State, Wish, cut_page, stored_wish};

/// How often a choice is judged anew when the reservation changes meanwhile.
const TRIES: usize = 16;

/// Which offer is chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    /// By what.
    pub selector: OfferSelector,
    /// What it must be; nothing in particular unless said.
    pub expected: Option<Expected>,
}

impl Choice {
    /// How the offer that is chosen differs from what is expected of it.
    fn differences(&self, reservation: &StoredReservation) -> Option<String> {
        let expected = self.expected.as_ref()?;
        let chosen = reservation.offers.iter().find(|offer| match self.selector {
            OfferSelector::Offer(id) => offer.id == id,
            OfferSelector::Ranking(ranking) => offer.rankings.contains(&ranking),
        })?;
        let differences = expected.differences(&chosen.document);
        (!differences.is_empty()).then(|| differences.join(", "))
    }
}

/// A page of reservations.
#[derive(Debug)]
pub struct Page {
    /// Oldest first.
    pub reservations: Vec<StoredReservation>,
    /// Where the next page starts.
    pub next: Option<ReservationId>,
}

impl Service {
    /// One reservation, with time's changes made first.
    ///
    /// # Errors
    /// `NoReservation` where there is none, or it is not the caller's.
    pub async fn reservation(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<StoredReservation, ServiceError> {
        self.advance().await?;
        self.visible(access, id).await
    }

    /// One reservation as it is stored.
    async fn visible(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<StoredReservation, ServiceError> {
        let stored = self.database.reservation(id).await?;
        stored
            .filter(|reservation| access.permits(&reservation.owner))
            .ok_or(ServiceError::NoReservation(id))
    }

    /// A page of the reservations that the caller may see.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn reservations(
        &self,
        access: Access<'_>,
        filter: Filter,
        after: Option<ReservationId>,
        limit: u16,
    ) -> Result<Page, ServiceError> {
        self.advance().await?;
        let owner = if access.is_operator() { filter.owner } else { Some(access.owner.to_owned()) };
        let filter = Filter { owner, ..filter };
        let mut found = self.database.reservations(&filter, after, limit + 1).await?;
        let next = cut_page(&mut found, limit, |it| it.id);
        Ok(Page { reservations: found, next })
    }

    /// Confirms one of a reservation's offers.
    ///
    /// # Errors
    /// `OffersExpired` with what is possible now, `OfferChanged`, `WrongState`, `UnknownOffer`,
    /// `VersionMismatch`, `NoReservation`; `Busy` where it changed again and again meanwhile.
    pub async fn choose(
        &self,
        access: Access<'_>,
        id: ReservationId,
        choice: &Choice,
        version: Option<i64>,
        state: &State,
    ) -> Result<StoredReservation, ServiceError> {
        // The instant of arrival judges, however long the database takes.
        let now = self.now();
        for _ in 0..TRIES {
            let reservation = self.visible(access, id).await?;
            // What is chosen already may have other nodes since; it is booked whatever they draw.
            let checks = choice.expected.is_some() && reservation.chosen.is_none();
            if checks && let Some(differences) = choice.differences(&reservation) {
                return Err(ServiceError::OfferChanged { differences, decision: None });
            }
            // What was checked is what is confirmed: another state of it is looked at anew.
            let pinned = version.or_else(|| checks.then_some(reservation.row_version));
            match self.database.choose(id, choice.selector, now, pinned).await {
                Err(ChooseError::VersionMismatch { .. }) if version.is_none() => {}
                chosen => return self.chosen(access, &reservation, chosen, now, state).await,
            }
        }
        Err(ServiceError::Busy)
    }

    /// The answer to a choice.
    async fn chosen(
        &self,
        access: Access<'_>,
        reservation: &StoredReservation,
        chosen: Result<StoredReservation, ChooseError>,
        now: Timestamp,
        state: &State,
    ) -> Result<StoredReservation, ServiceError> {
        let wish = || stored_wish(&reservation.request, self, state);
        match chosen {
            Ok(mut chosen) => {
                metrics::counter!("wattbook_confirmations_total").increment(1);
                chosen.state = chosen.state_at(now);
                Ok(chosen)
            }
            Err(ChooseError::Expired { .. }) => Err(self.expired(access, wish()).await?),
            Err(ChooseError::NotProposed { state: ReservationState::Expired }) => {
                Err(self.expired(access, wish()).await?)
            }
            Err(ChooseError::NotProposed { state }) => Err(ServiceError::WrongState {
                state: state.word().to_owned(),
                way_out: "only a proposed reservation's offers can be chosen",
            }),
            Err(ChooseError::NotFound) => Err(ServiceError::NoReservation(reservation.id)),
            Err(ChooseError::UnknownOffer) => Err(ServiceError::UnknownOffer),
            Err(ChooseError::VersionMismatch { .. }) => Err(ServiceError::VersionMismatch),
            Err(ChooseError::Storage(error)) => Err(error.into()),
        }
    }

    /// The answer to a late choice. `None` for the wish: its window has
    /// passed, or nodes it names are gone.
    async fn expired(
        &self,
        access: Access<'_>,
        wish: Option<Wish>,
    ) -> Result<ServiceError, ServiceError> {
        Ok(match wish {
            Some(wish) => {
                let state = self.state().await?;
                ServiceError::OffersExpired(self.quote(access, state, &wish, Box::new).await?)
            }
            None => ServiceError::WrongState {
                state: "expired".to_owned(),
                way_out: "its window has passed, or nodes it names are gone; make a new request",
            },
        })
    }

    /// Cancels a reservation and frees its nodes from now on.
    ///
    /// # Errors
    /// `WrongState` when it has ended already, `VersionMismatch`, `NoReservation`.
    pub async fn cancel(
        &self,
        access: Access<'_>,
        id: ReservationId,
        version: Option<i64>,
    ) -> Result<StoredReservation, ServiceError> {
        self.reservation(access, id).await?;
        self.database.end(id, Ending::Cancelled, self.now(), version).await.map_err(|error| {
            match error {
                EndError::NotFound => ServiceError::NoReservation(id),
                EndError::AlreadyEnded { state } => ServiceError::WrongState {
                    state: state.word().to_owned(),
                    way_out: "it has ended, so there is nothing to cancel",
                },
                EndError::VersionMismatch { .. } => ServiceError::VersionMismatch,
                EndError::Storage(error) => error.into(),
            }
        })
    }
}
