//! What is expected now of reservations, and up to which revision of agendas they were judged.

mod repository;
mod row;
pub mod sql;

use planner::time::{Span, Timestamp};

use crate::identity::{ReservationId, RevisionId};

/// What is expected now of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// When it was judged.
    pub evaluated: Timestamp,
    /// JSON.
    pub document: String,
}

/// Agendas by which reservations have yet to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// The newest revision.
    pub newest: RevisionId,
    /// What the revisions say anew of the time to come.
    pub span: Option<Span>,
}
