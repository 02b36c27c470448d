//! Mails that are to be sent: an outbox.
//!
//! A mail is written once, under an id made of what it tells of, and kept for a while after it was sent, so that it is
//! not written again. Those that tell of events are written in the order of the events, each in the transaction that
//! notes how far that is.

mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::identity::EventId;

/// A mail to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMail {
    /// What it tells of, such as `event-17`. Another with this id is the same mail.
    pub id: String,
    /// The user who is told.
    pub owner: String,
    /// Where it goes.
    pub address: String,
    /// Its subject: one line.
    pub subject: String,
    /// Its text.
    pub body: String,
    /// When it was written.
    pub created: Timestamp,
}

/// A mail that waits, and what became of it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingMail {
    /// The mail.
    pub mail: NewMail,
    /// Attempts that failed.
    pub failures: i64,
}

/// What became of an attempt to send a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server took it.
    Sent,
    /// It failed for this reason and is tried again at an instant.
    Again(String, Timestamp),
    /// It failed for this reason and is not tried again.
    GivenUp(String),
}

/// How far mails are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct MailPosition {
    /// Part of the mails' ids as receivers see them, so that they differ from those of every other database.
    pub instance: Uuid,
    /// The last event of which mails were written, where anybody wants them.
    pub position: EventId,
}
