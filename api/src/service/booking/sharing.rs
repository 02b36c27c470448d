//! Reservations are shared: others see them, run jobs in them, or change them.

use planner::identity::ReservationId;
use planner::json::JsonError;
use planner::reservation::{Receiver, Reservation};
use storage::{ChangeError, SharingChange};

use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::{Access, CallerKind, SiteState};

/// With so many a reservation is shared at the most.
pub const MOST_RECEIVERS: usize = 100;

/// The member of a body that names users.
pub const WITH: &str = "with";
/// The member of a body that names projects.
pub const PROJECTS: &str = "projects";

impl BookingService {
    /// Shares a reservation that has not ended with others, or with some no more.
    ///
    /// # Errors
    /// `InvalidRequest` where the site does not know whom it is to be shared with, or it is not shared with them;
    /// `NotTheirs`, `WrongState`, `VersionMismatch`, `NoReservation`.
    pub async fn change_sharing(
        &self,
        access: Access<'_>,
        id: ReservationId,
        change: &SharingChange,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        let before = self.expected_reservation(access, id, version).await?;
        if !access.may_share(&before) {
            return Err(BookingError::NotTheirs { id, owner: before.owner });
        }
        match change {
            SharingChange::Share(receivers, _) => {
                let state = self.shared.state().await?;
                check_receivers(access, &before, receivers, &state)?;
            }
            SharingChange::Unshare(receivers) => check_shared(&before, receivers)?,
        }
        let now = self.shared.now();
        let changed = self.shared.database.change_sharing(id, change, now, version).await;
        let mut after = changed.map_err(|error| match error {
            ChangeError::NotFound => BookingError::NoReservation(id),
            ChangeError::WrongState { state } => BookingError::WrongState {
                state: state.word().to_owned(),
                way_out: "it has ended, so it is shared with those with whom it was",
            },
            ChangeError::VersionMismatch { .. } => BookingError::VersionMismatch,
            ChangeError::BookChanged | ChangeError::BeingReplaced => BookingError::BookChanged,
            ChangeError::Storage(error) => error.into(),
        })?;
        metrics::counter!("wattbook_sharing_changes_total").increment(1);
        self.shared.manager_bell.notify_one();
        after.state = after.state_at(now);
        Ok(ChangedReservation { before, after })
    }
}

/// The errors of those that cannot be, each with its place in the body.
fn refused(
    receivers: &[Receiver],
    refusal: impl Fn(&Receiver) -> Option<String>,
) -> Result<(), BookingError> {
    let (projects, users): (Vec<&Receiver>, Vec<&Receiver>) =
        receivers.iter().partition(|it| it.is_project());
    let mut errors = Vec::new();
    for (member, receivers) in [(WITH, users), (PROJECTS, projects)] {
        let wrong = receivers.into_iter().enumerate().filter_map(|(index, receiver)| {
            let message = refusal(receiver)?;
            Some(JsonError { pointer: format!("/{member}/{index}"), message })
        });
        errors.extend(wrong);
    }
    if errors.is_empty() { Ok(()) } else { Err(BookingError::InvalidRequest(errors)) }
}

/// Whether a reservation may be shared with these: users whom the site knows, and projects that it keeps or that the
/// caller is in.
fn check_receivers(
    access: Access<'_>,
    stored: &Reservation,
    receivers: &[Receiver],
    state: &SiteState,
) -> Result<(), BookingError> {
    refused(receivers, |receiver| match receiver {
        Receiver::User(name) if *name == stored.owner => {
            Some(format!("{name} owns the reservation already"))
        }
        _ if access.kind == CallerKind::LocalUser => None,
        Receiver::User(name) if !state.callers().may_book(name) => Some(format!(
            "the site knows nobody called {name:?} who may book; they need an API token, or must have signed in once"
        )),
        Receiver::Project(name)
            if state.callers().projects().get(name).is_none()
                && !access.projects.is_some_and(|it| it.of.own.contains(name)) =>
        {
            Some(format!("there is no project {name:?}"))
        }
        _ => None,
    })?;
    let more = receivers.iter().filter(|it| !is_shared(stored, it)).count();
    if stored.shared_with.len() + more > MOST_RECEIVERS {
        let message = format!(
            "a reservation is shared with at most {MOST_RECEIVERS}; share it with a project instead"
        );
        return Err(BookingError::InvalidRequest(vec![JsonError {
            pointer: String::new(),
            message,
        }]));
    }
    Ok(())
}

/// Whether a reservation is shared with all of these.
fn check_shared(stored: &Reservation, receivers: &[Receiver]) -> Result<(), BookingError> {
    refused(receivers, |receiver| {
        let told = || format!("the reservation is not shared with {:?}", receiver.name());
        (!is_shared(stored, receiver)).then(told)
    })
}

fn is_shared(stored: &Reservation, receiver: &Receiver) -> bool {
    stored.shared_with.iter().any(|it| it.receiver == *receiver)
}
