//! Series: a request that recurs, each occurrence booked within its own window.
//!
//! What is asked for is written with all of its occurrences first (`create`), and each is then booked by the use case that
//! books any reservation (`attempt`): at once where its window is known, and by a task later (`keep`). `change` has what
//! people do to series. When a series recurs is told by `recurrence`, what becomes of its occurrences by `reconcile`; both
//! are pure.

mod attempt;
mod change;
mod create;
mod error;
mod keep;
mod reason;
mod reconcile;
mod recurrence;
mod request;

use std::collections::HashMap;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use planner::rights::Action;
use serde_json::json;
use storage::{
    Filter, NewEvent, Occurrence, RecurringSeries, SeenBy, SeriesFilter, SeriesId, SeriesStanding,
};
use tokio::sync::Notify;

use super::booking::BookingService;
use super::shared::{Access, CallerKind, CallerProjects, Fault, Shared, SiteState, cut_page};
use crate::config::projects::Concession;

pub use create::MadeSeries;
pub use error::SeriesError;
pub use keep::{LEASE, LOOK};
pub use request::{RuleDocument, SeriesRequest};

/// Makes series, and keeps them booked.
pub struct SeriesService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
    /// Wakes the task: something is to be done.
    bell: Notify,
}

/// A series with its occurrences.
#[derive(Debug)]
pub struct SeriesView {
    /// The series.
    pub series: RecurringSeries,
    /// Its occurrences in time order, each with its reservation.
    pub occurrences: Vec<(Occurrence, Option<Reservation>)>,
}

/// A page of series.
#[derive(Debug)]
pub struct SeriesPage {
    /// Oldest first.
    pub series: Vec<SeriesView>,
    /// Where the next page starts.
    pub next: Option<SeriesId>,
}

impl SeriesService {
    /// On what all services share; occurrences are booked as reservations are.
    pub fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        Self { shared, booking, bell: Notify::new() }
    }

    /// One series with its occurrences.
    ///
    /// # Errors
    /// `NoSeries` where there is none, or it is not the caller's.
    pub async fn series(
        &self,
        access: Access<'_>,
        id: SeriesId,
    ) -> Result<SeriesView, SeriesError> {
        let series = self.stored(access, id).await?;
        self.shared.advance(self.shared.now()).await?;
        Ok(self.view(access, series).await?)
    }

    /// A page of the series that the caller may see.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn list(
        &self,
        access: Access<'_>,
        filter: SeriesFilter,
        after: Option<SeriesId>,
        limit: u16,
    ) -> Result<SeriesPage, Fault> {
        let filter = seen(access, filter);
        self.shared.advance(self.shared.now()).await?;
        let mut found = self.shared.database.list_series(&filter, after, limit + 1).await?;
        let next = cut_page(&mut found, limit, |it| it.id);
        let mut series = Vec::with_capacity(found.len());
        for it in found {
            series.push(self.view(access, it).await?);
        }
        Ok(SeriesPage { series, next })
    }

    /// A series with its occurrences, and those reservations of it that somebody sees: one may have been given away.
    async fn view(&self, access: Access<'_>, series: RecurringSeries) -> Result<SeriesView, Fault> {
        let occurrences = self.shared.database.occurrences_of(series.id).await?;
        let filter = Filter { series: Some(series.id), ..Filter::default() };
        let now = self.shared.now();
        let reservations = self.booking.all_reservations(filter).await?;
        let seen = reservations.into_iter().filter(|it| access.sees(it));
        let by_id = seen.map(|mut it| {
            it.state = it.state_at(now);
            (it.id, it)
        });
        let mut by_id: HashMap<ReservationId, Reservation> = by_id.collect();
        let with = |it: Occurrence| {
            let reservation = it.reservation.and_then(|id| by_id.remove(&id));
            (it, reservation)
        };
        Ok(SeriesView { series, occurrences: occurrences.into_iter().map(with).collect() })
    }

    /// One series as it is stored, without its occurrences.
    ///
    /// # Errors
    /// `NoSeries` where there is none, or it is not the caller's.
    pub async fn stored(
        &self,
        access: Access<'_>,
        id: SeriesId,
    ) -> Result<RecurringSeries, SeriesError> {
        let stored = self.shared.database.series(id).await?;
        let sees =
            |it: &RecurringSeries| access.concession_of(&it.owner, &it.project) >= Concession::See;
        stored.filter(sees).ok_or(SeriesError::NoSeries(id))
    }

    /// One series for who wants to change it, if it is still at the row version that is expected.
    async fn changeable(
        &self,
        access: Access<'_>,
        id: SeriesId,
        version: Option<i64>,
    ) -> Result<RecurringSeries, SeriesError> {
        let stored = self.stored(access, id).await?;
        let is_allowed = self.booking.is_allowed_with(access, &stored.project, &stored.request)?;
        if !is_allowed && access.concession_of(&stored.owner, &stored.project) != Concession::Act {
            return Err(SeriesError::NotTheirs { id, owner: stored.owner });
        }
        match version {
            Some(version) if version != stored.row_version => Err(SeriesError::VersionMismatch),
            _ => Ok(stored),
        }
    }

    /// The projects of a series' owner as far as the site knows them now; `None` where they do not matter.
    fn projects_of(&self, series: &RecurringSeries, state: &SiteState) -> Option<CallerProjects> {
        let settings = self.shared.settings.projects;
        let matters = series.standing != SeriesStanding::OnlyUser;
        matters.then(|| CallerProjects::of_absent(state.callers(), settings, &series.owner))
    }
}

/// The access of a series' owner, by which its occurrences are booked: what an operator made is booked as an operator's
/// while they are one.
fn access_of<'a>(
    series: &'a RecurringSeries,
    projects: Option<&'a CallerProjects>,
    state: &SiteState,
) -> Access<'a> {
    let kind = match series.standing {
        SeriesStanding::Operator if state.callers().run_by(&series.owner) => CallerKind::Operator,
        SeriesStanding::User | SeriesStanding::Operator => CallerKind::User,
        SeriesStanding::OnlyUser => CallerKind::LocalUser,
    };
    let action = Some(Action::ReservationCreate);
    Access { projects, action, ..Access::of(&series.owner, kind) }
}

/// With whose rights a caller's series is booked.
const fn standing_of(access: Access<'_>) -> SeriesStanding {
    match access.kind {
        CallerKind::User | CallerKind::Site => SeriesStanding::User,
        CallerKind::Operator => SeriesStanding::Operator,
        CallerKind::LocalUser => SeriesStanding::OnlyUser,
    }
}

/// What a caller sees of what a filter lets pass.
fn seen(access: Access<'_>, filter: SeriesFilter) -> SeriesFilter {
    if access.is_operator() {
        return filter;
    }
    let owner = access.owner.to_owned();
    if let Some(within) = access.projects.and_then(CallerProjects::within) {
        // Theirs that are of these projects.
        let seen_by = SeenBy { projects: within, ..SeenBy::default() };
        return SeriesFilter { owner: Some(owner), seen_by: Some(seen_by), ..filter };
    }
    let projects = access.projects.map(CallerProjects::seen).unwrap_or_default();
    if projects.is_empty() {
        return SeriesFilter { owner: Some(owner), ..filter };
    }
    SeriesFilter { seen_by: Some(SeenBy { owner, projects, ..SeenBy::default() }), ..filter }
}

/// What is told of a series.
fn told(kind: &str, series: &RecurringSeries) -> NewEvent {
    let data = json!({ "series": series.id.to_string(), "state": series.state.word() });
    NewEvent::new(kind, data).of(&series.owner)
}

/// What is told of an occurrence that cannot be had.
fn told_impossible(
    series: &RecurringSeries,
    occurrence: &str,
    reason: &(String, String),
) -> NewEvent {
    let (code, detail) = reason;
    let data = json!({
        "series": series.id.to_string(), "occurrence": occurrence, "code": code, "detail": detail,
    });
    NewEvent::new("series.occurrence_impossible", data).of(&series.owner)
}
