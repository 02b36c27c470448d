//! Rows of webhooks.

use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::identity::EventId;
use crate::webhooks::WebhookState;

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
