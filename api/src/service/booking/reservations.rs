//! Reservations: read and cancelled.

use planner::identity::ReservationId;
use planner::reservation::{EndRefused, Ending, Reservation, ReservationState};
use storage::{EndError, Filter, SeenBy};

use super::{BookingError, BookingService};
use crate::service::shared::{Access, CallerProjects, Fault, cut_page};

/// Reservations that are read together.
const PAGE: u16 = 500;

/// A page of reservations.
#[derive(Debug)]
pub struct Page {
    /// Oldest first.
    pub reservations: Vec<Reservation>,
    /// Where the next page starts.
    pub next: Option<ReservationId>,
}

/// A reservation that was changed.
#[derive(Debug)]
pub struct ChangedReservation {
    /// As it was read before; others may have changed it in between.
    pub before: Reservation,
    /// As it is by now.
    pub after: Reservation,
}

impl BookingService {
    /// One reservation, with time's changes made first.
    ///
    /// # Errors
    /// `NoReservation` where there is none, or it is not the caller's.
    pub async fn reservation(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<Reservation, BookingError> {
        self.shared.advance(self.shared.now()).await?;
        self.visible(access, id).await
    }

    /// One reservation as it is stored.
    pub(super) async fn visible(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<Reservation, BookingError> {
        let stored = self.stored(id).await?;
        stored.filter(|reservation| access.sees(reservation)).ok_or(BookingError::NoReservation(id))
    }

    /// One reservation as it is stored, for who wants to change it.
    ///
    /// # Errors
    /// `NoReservation` where the caller does not see it, `NotTheirs` where they may not change it, `Forbidden` where a rule
    /// is against it.
    pub(super) async fn changeable(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<Reservation, BookingError> {
        let stored = self.visible(access, id).await?;
        if self.is_allowed_by_rule(access, &stored)? || access.may_change(&stored) {
            return Ok(stored);
        }
        Err(BookingError::NotTheirs { id, owner: stored.owner })
    }

    /// One reservation for who wants to change it, if it is still at the row version that is expected.
    pub(super) async fn expected_reservation(
        &self,
        access: Access<'_>,
        id: ReservationId,
        version: Option<i64>,
    ) -> Result<Reservation, BookingError> {
        self.shared.advance(self.shared.now()).await?;
        let stored = self.changeable(access, id).await?;
        match version {
            Some(version) if version != stored.row_version => Err(BookingError::VersionMismatch),
            _ => Ok(stored),
        }
    }

    /// A reservation that its owner changed, as it is shown: what is expected now is judged by what it has
    /// since, and whoever has to follow is told.
    pub(super) async fn changed(
        &self,
        mut changed: Reservation,
    ) -> Result<Reservation, BookingError> {
        self.ring();
        let state = self.shared.state().await?;
        self.judge_page(&state, vec![changed.clone()], self.shared.now()).await?;
        changed.state = changed.state_at(self.shared.now());
        Ok(changed)
    }

    /// Tells the resource manager and the dialogue with the supplier that the book changed.
    pub(super) fn ring(&self) {
        self.shared.manager_bell.notify_one();
        self.shared.dialogue_bell.notify_one();
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
    ) -> Result<Page, Fault> {
        self.shared.advance(self.shared.now()).await?;
        let filter = seen(access, filter);
        let mut found = self.shared.database.reservations(&filter, after, limit + 1).await?;
        let next = cut_page(&mut found, limit, |it| it.id);
        Ok(Page { reservations: found, next })
    }

    /// Cancels a reservation and frees its nodes from now on.
    ///
    /// # Errors
    /// `WrongState` when it has ended already, `HasJobs` where the site does not want that,
    /// `VersionMismatch`, `NoReservation`, `NotTheirs`.
    pub async fn cancel(
        &self,
        access: Access<'_>,
        id: ReservationId,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        self.shared.advance(self.shared.now()).await?;
        let before = self.changeable(access, id).await?;
        self.refuse_with_jobs(id).await?;
        let ended = self.shared.database.end(id, Ending::Cancelled, self.shared.now(), version);
        let ended = ended.await;
        self.shared.manager_bell.notify_one();
        let ended = ended.map_err(|error| match error {
            EndError::NotFound => BookingError::NoReservation(id),
            EndError::Refused(EndRefused::AlreadyEnded { state }) => BookingError::WrongState {
                state: state.word().to_owned(),
                way_out: "it has ended, so there is nothing to cancel",
            },
            EndError::Refused(EndRefused::VersionMismatch { .. }) => BookingError::VersionMismatch,
            EndError::Storage(error) => error.into(),
        })?;
        Ok(ChangedReservation { before, after: ended })
    }

    /// Reservations that hold power and have yet to end.
    pub(in crate::service) async fn live(&self) -> Result<Vec<Reservation>, Fault> {
        let states = ReservationState::LIVE;
        let from = Some(self.shared.now());
        self.all_reservations(Filter { states: states.to_vec(), from, ..Filter::default() }).await
    }

    /// All reservations that pass a filter, page by page.
    pub(in crate::service) async fn all_reservations(
        &self,
        filter: Filter,
    ) -> Result<Vec<Reservation>, Fault> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.shared.database.reservations(&filter, after, PAGE).await?;
            after = page.last().map(|last| last.id);
            let is_last = page.len() < usize::from(PAGE);
            all.extend(page);
            if is_last {
                return Ok(all);
            }
        }
    }
}

/// What a caller sees of what a filter lets pass: all, or what is theirs, what their projects let them see and what is
/// shared with them.
fn seen(access: Access<'_>, filter: Filter) -> Filter {
    if access.is_operator() {
        return filter;
    }
    let owner = access.owner.to_owned();
    if let Some(within) = access.projects.and_then(CallerProjects::within) {
        // Theirs that are of these projects, and nothing that belongs to nobody.
        let of_projects = SeenBy { projects: within, ..SeenBy::default() };
        return Filter { owner: Some(owner), seen_by: Some(of_projects), ..filter };
    }
    let projects = access.projects.map(CallerProjects::seen).unwrap_or_default();
    let member_of = access.projects.map(CallerProjects::own).unwrap_or_default();
    Filter { seen_by: Some(SeenBy { owner, projects, member_of }), ..filter }
}
