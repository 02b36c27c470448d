//! Transfers: a reservation gets another owner.

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use storage::ChangeError;

use super::{BookingError, BookingService};
use crate::service::shared::{Access, CallerKind, SiteState};

impl BookingService {
    /// Gives a reservation that has not ended to another owner, whom the site knows.
    ///
    /// # Errors
    /// `UnknownOwner`, `WrongState`, `VersionMismatch`, `NoReservation`.
    pub async fn transfer(
        &self,
        access: Access<'_>,
        id: ReservationId,
        to: &str,
        version: Option<i64>,
        state: &SiteState,
    ) -> Result<Reservation, BookingError> {
        let stored = self.expected_reservation(access, id, version).await?;
        if access.kind != CallerKind::LocalUser && !state.callers().may_book(to) {
            return Err(BookingError::UnknownOwner(to.to_owned()));
        }
        let now = self.shared.now();
        if stored.owner == to && !stored.state_at(now).is_final() {
            return Ok(Reservation { state: stored.state_at(now), ..stored });
        }
        let holds = [ReservationState::Proposed, ReservationState::AwaitingSupplier];
        if holds.contains(&stored.state_at(now)) {
            self.refuse_more_holds(to, access, stored.state_at(now)).await?;
        }
        let transferred = self.shared.database.transfer(id, to, now, version).await;
        let mut transferred = transferred.map_err(|error| match error {
            ChangeError::NotFound => BookingError::NoReservation(id),
            ChangeError::WrongState { state } => BookingError::WrongState {
                state: state.word().to_owned(),
                way_out: "it has ended, so it stays with its owner",
            },
            ChangeError::VersionMismatch { .. } => BookingError::VersionMismatch,
            ChangeError::Storage(error) => error.into(),
        })?;
        self.ring();
        transferred.state = transferred.state_at(now);
        Ok(transferred)
    }

    /// Refuses to give somebody a proposal beside as many as one may have; operators may.
    async fn refuse_more_holds(
        &self,
        to: &str,
        access: Access<'_>,
        state: ReservationState,
    ) -> Result<(), BookingError> {
        let most = self.shared.settings.limits.holds_per_user;
        let held = self.shared.database.held_by(to, self.shared.now()).await?.len();
        if access.is_operator() || held < most {
            return Ok(());
        }
        Err(BookingError::WrongState {
            state: state.word().to_owned(),
            way_out: "its new owner has as many proposals as one may have; transfer it once an offer is chosen",
        })
    }
}
