//! How far webhooks are told events.

use planner::time::Timestamp;
use sqlx::FromRow;
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

#[derive(FromRow)]
pub(crate) struct WebhookRow {
    id: String,
    instance: Uuid,
    position: EventId,
    tried_since_s: Option<i64>,
    failures: i64,
    next_attempt_s: Option<i64>,
    last_success_s: Option<i64>,
    last_failure_s: Option<i64>,
    last_failure: Option<String>,
    delivered: i64,
    given_up: i64,
    gone: bool,
}

impl From<WebhookRow> for WebhookState {
    fn from(row: WebhookRow) -> Self {
        let instant = |seconds: Option<i64>| seconds.map(Timestamp::from_unix_seconds);
        Self {
            id: row.id,
            instance: row.instance,
            position: row.position,
            tried_since: instant(row.tried_since_s),
            failures: row.failures,
            next_attempt: instant(row.next_attempt_s),
            last_success: instant(row.last_success_s),
            last_failure: instant(row.last_failure_s).zip(row.last_failure),
            delivered: row.delivered,
            given_up: row.given_up,
            gone: row.gone,
        }
    }
}
