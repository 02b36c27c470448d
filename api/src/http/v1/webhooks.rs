//! `GET /api/v1/webhooks`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::webhooks::{WebhookService, WebhookStatus};

/// The webhooks that the settings name.
#[derive(Serialize, ToSchema)]
pub struct WebhooksDocument {
    /// The newest event; a webhook whose `position` it is has been told everything.
    pub newest_event: Option<i64>,
    /// In the order of the settings.
    pub items: Vec<WebhookDocument>,
}

/// A webhook and how it stands.
#[derive(Serialize, ToSchema)]
pub struct WebhookDocument {
    /// Its name in the settings.
    #[schema(example = "pager")]
    pub id: String,
    /// Where events are sent, without user, password, query and fragment.
    #[schema(example = "https://pager.example/wattbook")]
    pub url: String,
    /// Which events, as the settings say.
    #[schema(example = json!(["reservation.*"]))]
    pub events: Vec<String>,
    /// `ok`, `failing`, or `stopped` where the receiver answered 410.
    #[schema(example = "ok")]
    pub status: &'static str,
    /// The last event that was dealt with: told, not wanted, or given up.
    pub position: Option<i64>,
    /// When the receiver last took an event, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_success_at: Option<Timestamp>,
    /// Why the last attempt failed; null where it did not.
    pub last_error: Option<WebhookErrorDocument>,
    /// When it is tried again, RFC 3339; null where nothing failed.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_attempt_at: Option<Timestamp>,
    /// Attempts that failed since the last that did not.
    pub failures_in_turn: i64,
    /// Events that were told so far.
    pub delivered: i64,
    /// Events that were given up so far.
    pub given_up: i64,
}

/// Why an attempt failed.
#[derive(Serialize, ToSchema)]
pub struct WebhookErrorDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// In words.
    #[schema(example = "refused with status 401: unknown signature")]
    pub detail: String,
}

/// The webhooks that are told events, and how they stand
///
/// For operators. Empty where the settings have no `[[webhooks]]`.
#[utoipa::path(
    get,
    path = "/api/v1/webhooks",
    tag = "book",
    responses(
        (status = OK, body = WebhooksDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_webhooks(
    State(webhooks): State<Arc<WebhookService>>,
    _: By,
) -> Result<Json<WebhooksDocument>, Problem> {
    let (found, newest) = webhooks.webhooks().await?;
    Ok(Json(WebhooksDocument {
        newest_event: newest.map(storage::EventId::get),
        items: found.into_iter().map(WebhookDocument::from).collect(),
    }))
}

impl From<WebhookStatus<'_>> for WebhookDocument {
    fn from(webhook: WebhookStatus<'_>) -> Self {
        let (settings, state) = (webhook.settings, webhook.state.as_ref());
        let failure = state.and_then(|state| state.last_failure.clone());
        Self {
            id: settings.id.clone(),
            url: settings.webhook.address(),
            events: settings.events.clone(),
            status: webhook.status(),
            position: state.map(|state| state.position.get()),
            last_success_at: state.and_then(|state| state.last_success),
            last_error: failure.map(|(at, detail)| WebhookErrorDocument { at, detail }),
            next_attempt_at: state.and_then(|state| state.next_attempt),
            failures_in_turn: state.map_or(0, |state| state.failures),
            delivered: state.map_or(0, |state| state.delivered),
            given_up: state.map_or(0, |state| state.given_up),
        }
    }
}
