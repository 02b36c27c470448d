//! What people do to series: they are changed, ended and given away, and occurrences are left out.

use planner::json::reader::read;
use planner::time::Timestamp;
use serde_json::{Map, Value};
use storage::{
    OccurrenceState, RecurringSeries, SeriesChange, SeriesId, SeriesStanding, SeriesState,
};

use super::reconcile::{HEAD_START, ended, left, reconciled};
use super::request::{RuleDocument, patched};
use super::{SeriesError, SeriesService, SeriesView, access_of, told};
use crate::service::booking::BookingError;
use crate::service::shared::{Access, CallerKind, SiteState};

/// How often a series is changed anew when others change it meanwhile.
const TRIES: usize = 8;

impl SeriesService {
    /// Changes a series by a merge patch; occurrences to come are planned anew, each keeping its reservation until the
    /// new one is certain.
    ///
    /// # Errors
    /// `Invalid` with every error, `Over`, `VersionMismatch`, `NoSeries`, `NotTheirs`, `Changed`, and of bookings
    /// `PriorityIsForOperators`, `NotInProject` and `NoProject`.
    pub async fn modify(
        &self,
        access: Access<'_>,
        id: SeriesId,
        patch: &Map<String, Value>,
        version: Option<i64>,
        state: &SiteState,
    ) -> Result<SeriesView, SeriesError> {
        for _ in 0..TRIES {
            let stored = self.running(access, id, version).await?;
            let text = patched(&stored, patch)?;
            let asked = read(&text, |reader, raw| {
                self.read_series(reader, raw, state, Some(stored.created))
            });
            let asked = asked.map_err(SeriesError::Invalid)?;
            if asked.request.priority > 0 && !access.is_operator() {
                return Err(BookingError::PriorityIsForOperators.into());
            }
            let projects = self.projects_of(&stored, state);
            let owner = access_of(&stored, projects.as_ref(), state);
            let mut request = asked.request;
            if request.project.as_deref().unwrap_or_default() != stored.project {
                request = self.booking.with_project(owner, request)?;
                // Who moves it may book there, too.
                self.booking.check_project(access, request.project.as_deref())?;
            }
            let request = self.booking.within_rights(access, request)?;
            // An operator's series that others change is booked by no more than they may.
            let standing =
                if access.is_operator() { stored.standing } else { SeriesStanding::User };
            let changed = RecurringSeries {
                standing,
                project: request.project.clone().unwrap_or_default(),
                request: request.document(),
                rule: asked.rule,
                revision: stored.revision + 1,
                ..stored
            };
            let now = self.shared.now();
            let occurrences = self.shared.database.occurrences_of(id).await?;
            let change = reconciled(id, &occurrences, &asked.windows, now);
            let events = vec![told("series.changed", &changed)];
            let change = SeriesChange { series: Some(changed), events, ..change };
            if self.shared.database.change_series(&change, now).await? {
                return self.done(access, id, &change, now).await;
            }
        }
        Err(SeriesError::Changed)
    }

    /// Leaves an occurrence out, and cancels its reservation unless that began.
    ///
    /// # Errors
    /// `NoOccurrence`, `Over`, `NoSeries`, `NotTheirs`, `Changed`.
    pub async fn skip(
        &self,
        access: Access<'_>,
        id: SeriesId,
        occurrence: &str,
    ) -> Result<SeriesView, SeriesError> {
        for _ in 0..TRIES {
            let stored = self.running(access, id, None).await?;
            let found = self.shared.database.occurrence(id, occurrence).await?;
            let found = found.ok_or_else(|| SeriesError::NoOccurrence(occurrence.to_owned()))?;
            let now = self.shared.now();
            match found.state {
                OccurrenceState::Waiting
                | OccurrenceState::Impossible
                | OccurrenceState::Booked
                    if found.known_by > now => {}
                _ => {
                    let state = found.state.word();
                    let told = format!(
                        "the occurrence {occurrence} is {state} or over, so there is nothing to leave out"
                    );
                    return Err(SeriesError::Over(told));
                }
            }
            let rule = RuleDocument::of(&stored)?.without(occurrence);
            let changed = RecurringSeries { rule, ..stored };
            let change = SeriesChange {
                events: vec![told("series.changed", &changed)],
                series: Some(changed),
                changed: vec![left(&found, OccurrenceState::LeftOut, now)],
                ..SeriesChange::default()
            };
            if self.shared.database.change_series(&change, now).await? {
                return self.done(access, id, &change, now).await;
            }
        }
        Err(SeriesError::Changed)
    }

    /// Ends a series: what has not begun is cancelled, and what runs goes on unless it is to be given back.
    ///
    /// # Errors
    /// `Over`, `VersionMismatch`, `NoSeries`, `NotTheirs`, `Changed`.
    pub async fn end(
        &self,
        access: Access<'_>,
        id: SeriesId,
        releases: bool,
        version: Option<i64>,
    ) -> Result<SeriesView, SeriesError> {
        for _ in 0..TRIES {
            let stored = self.running(access, id, version).await?;
            let now = self.shared.now();
            let occurrences = self.shared.database.occurrences_of(id).await?;
            let over = RecurringSeries {
                state: SeriesState::Ended,
                being_made: false,
                releases,
                ended: Some(now),
                ..stored
            };
            let change = SeriesChange {
                changed: ended(&occurrences, now),
                events: vec![told("series.ended", &over)],
                series: Some(over),
                ..SeriesChange::default()
            };
            if self.shared.database.change_series(&change, now).await? {
                return self.done(access, id, &change, now).await;
            }
        }
        Err(SeriesError::Changed)
    }

    /// Gives a series to another owner, with its owner's reservations that have not ended, one after the other; those that
    /// were given to others stay theirs. Where one cannot
    /// be given, those before it are given and the series is not; asked again, it goes on.
    ///
    /// # Errors
    /// `Over`, `VersionMismatch`, `NoSeries`, `NotTheirs`, `ReceiverHasTooMany`, `Changed`, and of bookings those of
    /// transfers.
    pub async fn transfer(
        &self,
        access: Access<'_>,
        id: SeriesId,
        to: &str,
        version: Option<i64>,
    ) -> Result<SeriesView, SeriesError> {
        for _ in 0..TRIES {
            let stored = self.running(access, id, version).await?;
            self.check_given(access, &stored, to).await?;
            let view = self.view(access, stored.clone()).await?;
            for (_, reservation) in &view.occurrences {
                if let Some(it) = reservation
                    && !it.state.is_final()
                    && it.owner == stored.owner
                    && it.owner != to
                {
                    self.booking.transfer(access, it.id, to, None).await?;
                }
            }
            let standing = match stored.standing {
                SeriesStanding::OnlyUser if access.kind == CallerKind::LocalUser => {
                    SeriesStanding::OnlyUser
                }
                _ => SeriesStanding::User,
            };
            let given = RecurringSeries { owner: to.to_owned(), standing, ..stored.clone() };
            let events = vec![told("series.changed", &stored), told("series.changed", &given)];
            let change = SeriesChange { series: Some(given), events, ..SeriesChange::default() };
            if self.shared.database.change_series(&change, self.shared.now()).await? {
                let series = self.shared.database.series(id).await?;
                return Ok(self.view(access, series.ok_or(SeriesError::NoSeries(id))?).await?);
            }
        }
        Err(SeriesError::Changed)
    }

    /// Whether somebody may give a series away, and to whom they want: who gets it may own it, and have one more.
    async fn check_given(
        &self,
        access: Access<'_>,
        stored: &RecurringSeries,
        to: &str,
    ) -> Result<(), SeriesError> {
        let (owner, project, request) = (&stored.owner, &stored.project, &stored.request);
        if !access.may_give_away_of(owner, project)
            && !self.booking.is_allowed_with(access, project, request)?
        {
            return Err(SeriesError::NotTheirs { id: stored.id, owner: owner.clone() });
        }
        let state = self.shared.state().await?;
        self.booking.check_owner(access, to, (project, request), &state)?;
        // An operator has as many as they want, and so gives as many.
        if owner == to || access.is_operator() || state.callers().run_by(to) {
            return Ok(());
        }
        self.admit(Access::of(to, CallerKind::User)).await.map_err(|error| match error {
            SeriesError::TooMany(most) => {
                SeriesError::ReceiverHasTooMany { owner: to.to_owned(), most }
            }
            error => error,
        })
    }

    /// One series that runs, for who wants to change it.
    async fn running(
        &self,
        access: Access<'_>,
        id: SeriesId,
        version: Option<i64>,
    ) -> Result<RecurringSeries, SeriesError> {
        let stored = self.changeable(access, id, version).await?;
        if stored.state == SeriesState::Running {
            return Ok(stored);
        }
        let state = stored.state.word();
        let told = format!("the series is {state}, so there is nothing to change; make a new one");
        Err(SeriesError::Over(told))
    }

    /// Does what a change asks for as far as it can be done at once, and lets the task do the rest.
    async fn done(
        &self,
        access: Access<'_>,
        id: SeriesId,
        change: &SeriesChange,
        now: Timestamp,
    ) -> Result<SeriesView, SeriesError> {
        let occurrences = change.added.len() + change.changed.len() + change.renamed.len();
        self.work_at_once(id, occurrences, now + HEAD_START).await?;
        self.bell.notify_one();
        self.series(access, id).await
    }
}
