//! Transfers: a reservation gets another owner.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use storage::{ChangeError, NewOwner, PlanBasis};

use super::standing::AccountShare;
use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::{Access, CallerKind, CallerProjects, SiteState};

/// How often a reservation is given away anew when others change the book meanwhile.
const TRIES: usize = 8;

impl BookingService {
    /// Gives a reservation that has not ended to another owner, whom the site knows.
    ///
    /// # Errors
    /// `UnknownOwner`, `OwnerNotInProject`, `Quota` and `TooFarAhead` where they may not hold it,
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
        if !access.may_give_away(&stored) && !self.is_allowed_by_rule(access, &stored)? {
            return Err(BookingError::NotTheirs { id, owner: stored.owner });
        }
        let state = self.shared.state().await?;
        let Some(basis) = state.marks.map(PlanBasis::from) else { return Ok(None) };
        self.check_owner(access, to, (&stored.project, &stored.request), &state)?;
        let now = self.shared.now();
        if stored.owner == to && !stored.state_at(now).is_final() {
            return Ok(Some(ChangedReservation { before: stored.clone(), after: stored }));
        }
        let theirs = Reservation { owner: to.to_owned(), ..stored.clone() };
        let receiver = Access { owner: to, projects: None, ..access };
        self.check_quotas_of(access, &theirs, None).await?;
        self.check_ahead_of(receiver, &theirs)?;
        let share = self.share_of(receiver, &stored.project);
        let holds = [ReservationState::Proposed, ReservationState::AwaitingSupplier];
        if holds.contains(&stored.state_at(now)) {
            self.refuse_more_holds(receiver, &stored, share, &state).await?;
        }
        let owner = NewOwner { owner: to, share_factor: share.map(|it| it.factor) };
        let mut transferred = match self
            .shared
            .database
            .transfer(id, owner, basis, now, version)
            .await
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
            Err(ChangeError::BeingReplaced) => {
                return Err(BookingError::WrongState {
                    state: stored.state_at(now).word().to_owned(),
                    way_out: "other offers may take its place; choose one of them, or cancel them first",
                });
            }
            Err(ChangeError::VersionMismatch { .. }) => return Err(BookingError::VersionMismatch),
            Err(ChangeError::Storage(error)) => return Err(error.into()),
        };
        self.ring();
        transferred.state = transferred.state_at(now);
        Ok(Some(ChangedReservation { before: stored, after: transferred }))
    }

    /// Whether somebody may be given what was stored for a project, be it a reservation's request or a series': the site
    /// knows them, they are in the project, and no rule of the site is against it.
    ///
    /// # Errors
    /// `UnknownOwner`, `OwnerNotInProject`, `Forbidden`.
    pub(in crate::service) fn check_owner(
        &self,
        access: Access<'_>,
        to: &str,
        (project, request): (&str, &str),
        state: &SiteState,
    ) -> Result<(), BookingError> {
        let callers = state.callers();
        let is_only_user = access.kind == CallerKind::LocalUser;
        if !is_only_user && !callers.may_book(to) {
            return Err(BookingError::UnknownOwner(to.to_owned()));
        }
        let theirs = CallerProjects::of_absent(callers, self.shared.settings.projects, to);
        let is_kept = callers.projects().get(project).is_some();
        if is_kept && !access.is_operator() && !theirs.include(project) {
            let (owner, project) = (to.to_owned(), project.to_owned());
            return Err(BookingError::OwnerNotInProject { owner, project });
        }
        self.check_owner_rights(to, project, request, state)
    }

    /// Refuses to give somebody a proposal beside as much as one may hold; operators may.
    async fn refuse_more_holds(
        &self,
        receiver: Access<'_>,
        stored: &Reservation,
        share: Option<AccountShare>,
        state: &Arc<SiteState>,
    ) -> Result<(), BookingError> {
        let too_much = |error| match error {
            BookingError::TooManyHolds { .. } | BookingError::TooMuchHeld { .. } => {
                BookingError::WrongState {
                    state: stored.state_at(self.shared.now()).word().to_owned(),
                    way_out: "its new owner holds as much as one may; transfer it once an offer is chosen",
                }
            }
            error => error,
        };
        let held = self.held_beside(receiver, state, stored.id).await;
        let Some(held) = held.map_err(too_much)? else { return Ok(()) };
        held.admit_held(self.most_held_h(share), state, stored).map_err(too_much)
    }
}
