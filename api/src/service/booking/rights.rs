//! Rights in the book: which reservations somebody may do something with, and in which partitions they book.

use planner::reservation::Reservation;
use planner::rights::{Action, Asker, RightsObject, Verdict};

use super::{BookingError, BookingRequest, BookingService};
use crate::service::shared::{
    Access, CallerKind, CallerProjects, Forbidden, SiteState, StoredWords,
};

impl BookingService {
    /// The request as its sender may book it: partitions that are closed to them are left out.
    ///
    /// # Errors
    /// `Forbidden` where a rule of the site is against its project or partition.
    pub fn within_rights(
        &self,
        access: Access<'_>,
        mut request: BookingRequest,
    ) -> Result<BookingRequest, BookingError> {
        let Some(asker) = access.asker() else { return Ok(request) };
        let project = request.project.as_deref().unwrap_or_default();
        let partition = request.planning.filter.partition.as_deref().unwrap_or_default();
        let object = RightsObject { project, partition };
        for action in booking_actions(access) {
            self.admit_object(action, asker, object)?;
        }
        self.close_partitions(access, asker, &mut request);
        Ok(request)
    }

    /// A stored request as the site plans it anew: what is closed to its owner stays closed.
    pub(super) fn with_closed(
        &self,
        mut request: BookingRequest,
        owner: &str,
        state: &SiteState,
    ) -> BookingRequest {
        let callers = state.callers();
        let projects = CallerProjects::of_absent(callers, self.shared.settings.projects, owner);
        let kind = if callers.run_by(owner) { CallerKind::Operator } else { CallerKind::Site };
        let access = Access { projects: Some(&projects), ..Access::of(owner, kind) };
        if let Some(asker) = access.asker().filter(|_| callers.have_been()) {
            self.close_partitions(access, asker, &mut request);
        }
        request
    }

    fn close_partitions(&self, access: Access<'_>, asker: Asker<'_>, request: &mut BookingRequest) {
        let rules = &self.shared.settings.rights;
        let project = request.project.as_deref().unwrap_or_default();
        let actions = booking_actions(access);
        let closed = actions.flat_map(|action| rules.closed_partitions(action, asker, project));
        request.planning.filter.closed = closed.map(Box::from).collect();
    }

    /// Whether somebody may do with a reservation what they want: `true` where a rule lets them, whoever may by default.
    ///
    /// # Errors
    /// `Forbidden` where a rule is against it.
    pub(super) fn is_allowed_by_rule(
        &self,
        access: Access<'_>,
        stored: &Reservation,
    ) -> Result<bool, BookingError> {
        self.is_allowed_with(access, &stored.project, &stored.request)
    }

    /// Whether a rule lets somebody do something with what was stored for a project, be it a reservation's request or a series'.
    ///
    /// # Errors
    /// `Forbidden` where a rule is against it.
    pub(in crate::service) fn is_allowed_with(
        &self,
        access: Access<'_>,
        project: &str,
        request: &str,
    ) -> Result<bool, BookingError> {
        let (Some(action), Some(asker)) = (access.action, access.asker()) else {
            return Ok(false);
        };
        let words = StoredWords::of_request(request);
        let partition = words.partition.as_deref().unwrap_or_default();
        let object = RightsObject { project, partition };
        match self.admit_object(action, asker, object)? {
            // Rules that name no project let roles do what is theirs.
            Verdict::Allowed(rule, _) => Ok(!rule.when.projects.is_empty()),
            _ => Ok(false),
        }
    }

    /// Whether somebody may own what was stored for a project, be it a reservation's request or a series'.
    ///
    /// # Errors
    /// `Forbidden` where a rule is against it.
    pub(in crate::service) fn check_owner_rights(
        &self,
        owner: &str,
        project: &str,
        request: &str,
        state: &SiteState,
    ) -> Result<(), BookingError> {
        let callers = state.callers();
        let projects = CallerProjects::of_absent(callers, self.shared.settings.projects, owner);
        let kind = if callers.run_by(owner) { CallerKind::Operator } else { CallerKind::User };
        let action = Some(Action::ReservationCreate);
        let access = Access { projects: Some(&projects), action, ..Access::of(owner, kind) };
        self.is_allowed_with(access, project, request).map(|_| ())
    }

    fn admit_object(
        &self,
        action: Action,
        asker: Asker<'_>,
        object: RightsObject<'_>,
    ) -> Result<Verdict<'_>, BookingError> {
        let verdict = self.shared.settings.rights.verdict(action, asker, object);
        if verdict.admits() {
            return Ok(verdict);
        }
        Err(BookingError::Forbidden(Box::new(Forbidden::of(action, verdict))))
    }
}

/// What somebody does who plans a request: what they say, and to book what is planned.
fn booking_actions(access: Access<'_>) -> impl Iterator<Item = Action> {
    let said = access.action.filter(|action| *action != Action::ReservationCreate);
    said.into_iter().chain([Action::ReservationCreate])
}
