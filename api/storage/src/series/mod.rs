//! Series: requests that recur, and what became of each occurrence.
//!
//! Whoever changes an occurrence says which version of it they read: of two at once the second has to look again, be it
//! another replica or somebody who changes the series meanwhile. The id of an occurrence's reservation is written before
//! the reservation is made, so that whoever goes on after a crash finds it and books nothing twice.

pub(crate) mod error;
mod repository;
mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::time::Timestamp;

use crate::events::NewEvent;
use crate::identity::SeriesId;
use crate::words::worded;

worded! {
    /// Where a series stands.
    SeriesState {
        /// It has occurrences that have yet to come.
        Running = "running",
        /// All of its occurrences are over.
        Completed = "completed",
        /// It was ended by somebody.
        Ended = "ended",
        /// An occurrence was impossible when it was made, and its owner wanted all or none.
        Refused = "refused",
    }
}

worded! {
    /// With whose rights a series is booked.
    SeriesStanding {
        /// Those of one of many users.
        User = "user",
        /// Those of who runs the cluster, while they do.
        Operator = "operator",
        /// Those of the only user there is.
        OnlyUser = "only_user",
    }
}

worded! {
    /// Where an occurrence stands.
    OccurrenceState {
        /// It is not booked yet.
        Waiting = "waiting",
        /// It has a reservation, which may be over.
        Booked = "booked",
        /// It could not be booked so far; it is tried again.
        Impossible = "impossible",
        /// It is to be left out; its reservation has yet to be cancelled.
        Leaving = "leaving",
        /// It has no reservation and will have none.
        LeftOut = "left_out",
        /// The series ended; its reservation has yet to be cancelled.
        Ending = "ending",
        /// The series ended first.
        Ended = "ended",
    }
}

/// A series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurringSeries {
    /// Its id.
    pub id: SeriesId,
    /// The user who owns it.
    pub owner: String,
    /// The project that it is for; empty where it is for none.
    pub project: String,
    /// With whose rights it is booked.
    pub standing: SeriesStanding,
    /// Where it stands.
    pub state: SeriesState,
    /// The request of the first occurrence, as JSON.
    pub request: String,
    /// When it recurs, and how each occurrence is chosen, as JSON.
    pub rule: String,
    /// Whether its occurrences are being booked for the first time.
    pub being_made: bool,
    /// Whether what runs is given back, once it has ended.
    pub releases: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Grows when its occurrences are to be planned anew.
    pub revision: i64,
    /// Grows with every change by people.
    pub row_version: i64,
}

/// An occurrence of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The series.
    pub series: SeriesId,
    /// Its nominal start by the clocks of the series' time zone, such as `2026-12-07T08:00:00`.
    pub occurrence: String,
    /// Its window begins.
    pub earliest_start: Timestamp,
    /// Its window ends.
    pub latest_start: Timestamp,
    /// Once agendas are known until then, all of its window is.
    pub known_by: Timestamp,
    /// Where it stands.
    pub state: OccurrenceState,
    /// Whether it was changed on its own, so that changes of the series leave it alone.
    pub is_exception: bool,
    /// The reservation by which it is, or is to be, booked.
    pub reservation: Option<ReservationId>,
    /// The series' revision by which it was booked.
    pub revision: i64,
    /// When something is to be done about it; `None` for nothing.
    pub next_try: Option<Timestamp>,
    /// Why it could not be booked, or not as the series has it now: a code and words.
    pub reason: Option<(String, String)>,
    /// Grows with every change of the row.
    pub version: i64,
}

/// What is written of a series at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesChange {
    /// The series as it is to be, if it is still at this row version; `None` leaves it as it is.
    pub series: Option<RecurringSeries>,
    /// Occurrences that are new.
    pub added: Vec<Occurrence>,
    /// Occurrences as they are to be, if they are still at these versions.
    pub changed: Vec<Occurrence>,
    /// Occurrences that get another nominal start, each with the one it had, if they are still at these versions.
    pub renamed: Vec<(String, Occurrence)>,
    /// What is told.
    pub events: Vec<NewEvent>,
}

/// Which series are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesFilter {
    /// The name of the user whose they are.
    pub owner: Option<String>,
    /// Those of this user, and of these projects.
    pub seen_by: Option<crate::reservations::reservation::SeenBy>,
    /// In one of these states; empty lets all pass.
    pub states: Vec<SeriesState>,
}

/// Which occurrences something is to be done about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccurrencesDue {
    /// Their next try is due by then.
    pub by: Timestamp,
    /// Those that wait and whose window is known by agendas until then ...
    pub known: Timestamp,
    /// ... or opens by then.
    pub opens: Timestamp,
}
