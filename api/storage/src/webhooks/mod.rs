//! How far webhooks are told events.

mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;
use uuid::Uuid;

use crate::identity::EventId;

/// How a webhook of the settings stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookState {
    /// Its name in the settings.
    pub id: String,
    /// Part of its messages' ids, so that they differ from those of every other database.
    pub instance: Uuid,
    /// The last event that was dealt with: told, left out by its filter, or given up.
    pub position: EventId,
    /// Since when the one after it is tried; `None` before the first attempt that failed.
    pub tried_since: Option<Timestamp>,
    /// Attempts that failed since the last that did not.
    pub failures: i64,
    /// When it is tried again; `None` where nothing failed.
    pub next_attempt: Option<Timestamp>,
    /// When the receiver last took an event.
    pub last_success: Option<Timestamp>,
    /// When an attempt last failed, and why; `None` once one went well.
    pub last_failure: Option<(Timestamp, String)>,
    /// Events that were told.
    pub delivered: i64,
    /// Events that were given up.
    pub given_up: i64,
    /// Whether the receiver said that it wants no more.
    pub gone: bool,
}
