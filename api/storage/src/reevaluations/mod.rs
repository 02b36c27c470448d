//! What is expected now of reservations, and up to which revision of agendas they were judged.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::time::Span;

use crate::identity::RevisionId;

/// Agendas by which reservations have yet to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// The newest revision.
    pub newest: RevisionId,
    /// What the revisions say anew of the time to come.
    pub span: Option<Span>,
}
