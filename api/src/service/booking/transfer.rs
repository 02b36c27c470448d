//! Transfers: a reservation gets another owner.

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use storage::{ChangeError, PlanBasis};

use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::{Access, CallerKind, SiteState};

/// How often a reservation is given away anew when others change the book meanwhile.
const TRIES: usize = 8;

impl BookingService {
    /// Gives a reservation that has not ended to another owner, whom the site knows.
    ///
    /// # Errors
    /// `UnknownOwner`, `OwnerNotInProject`, `Quota` where they may not hold it,
    /// `WrongState`, `VersionMismatch`, `NoReservation`, `NotTheirs`, `BookChanged`.
    pub async fn transfer(
        &self,
        access: Access<'_>,
        id: ReservationId,
        to: &str,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        for _ in 0..TRIES {
            if let Some(transferred) = self.transfer_now(access, id, to, version).await? {
                return Ok(transferred);
            }
        }
        Err(BookingError::BookChanged)
    }

    /// Gives a reservation to another owner; `None` where others changed the book meanwhile.
    async fn transfer_now(
        &self,
        access: Access<'_>,
        id: ReservationId,
        to: &str,
        version: Option<i64>,
    ) -> Result<Option<ChangedReservation>, BookingError> {
        let stored = self.expected_reservation(access, id, version).await?;
        let state = self.shared.state().await?;
        let Some(basis) = state.marks.map(PlanBasis::from) else { return Ok(None) };
        self.check_owner(access, to, &stored, &state)?;
        let now = self.shared.now();
        if stored.owner == to && !stored.state_at(now).is_final() {
            return Ok(Some(ChangedReservation { before: stored.clone(), after: stored }));
        }
        let theirs = Reservation { owner: to.to_owned(), ..stored.clone() };
        self.check_quotas_of(access, &theirs, None).await?;
        let holds = [ReservationState::Proposed, ReservationState::AwaitingSupplier];
        if holds.contains(&stored.state_at(now)) {
            self.refuse_more_holds(to, access, stored.state_at(now)).await?;
        }
        let mut transferred = match self.shared.database.transfer(id, to, basis, now, version).await
        {
            Ok(transferred) => transferred,
            Err(ChangeError::BookChanged) => return Ok(None),
            Err(ChangeError::NotFound) => return Err(BookingError::NoReservation(id)),
            Err(ChangeError::WrongState { state }) => {
                return Err(BookingError::WrongState {
                    state: state.word().to_owned(),
                    way_out: "it has ended, so it stays with its owner",
                });
            }
            Err(ChangeError::VersionMismatch { .. }) => return Err(BookingError::VersionMismatch),
            Err(ChangeError::Storage(error)) => return Err(error.into()),
        };
        self.ring();
        transferred.state = transferred.state_at(now);
        Ok(Some(ChangedReservation { before: stored, after: transferred }))
    }

    /// Whether somebody may own a reservation: the site knows them, and they are in its project.
    fn check_owner(
        &self,
        access: Access<'_>,
        to: &str,
        stored: &Reservation,
        state: &SiteState,
    ) -> Result<(), BookingError> {
        if access.kind == CallerKind::LocalUser {
            return Ok(());
        }
        let callers = state.callers();
        if !callers.may_book(to) {
            return Err(BookingError::UnknownOwner(to.to_owned()));
        }
        let is_kept = callers.projects().get(&stored.project).is_some();
        if is_kept && !access.is_operator() && !callers.projects_of(to).include(&stored.project) {
            let (owner, project) = (to.to_owned(), stored.project.clone());
            return Err(BookingError::OwnerNotInProject { owner, project });
        }
        Ok(())
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
