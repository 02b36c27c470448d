//! Rows of webhooks.

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::EventId;
use crate::row::{RowPlace, instant};
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

impl TryFrom<WebhookRow> for WebhookState {
    type Error = StorageError;
    fn try_from(row: WebhookRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "webhooks", row: &row.id };
        let last_failure = match (instant(row.last_failure_s), row.last_failure) {
            (Some(at), Some(words)) => Some((at, words)),
            (None, None) => None,
            _ => return Err(place.wrong("last_failure", "the last failure is not all there")),
        };
        Ok(Self {
            id: row.id,
            instance: row.instance,
            position: row.position,
            tried_since: instant(row.tried_since_s),
            failures: row.failures,
            next_attempt: instant(row.next_attempt_s),
            last_success: instant(row.last_success_s),
            last_failure,
            delivered: row.delivered,
            given_up: row.given_up,
            gone: row.gone,
        })
    }
}
