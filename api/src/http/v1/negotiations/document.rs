//! Negotiations as JSON.

use planner::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use storage::{Message, Negotiation, StorageError};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::service::dialogue::document::{read_message, read_subject};

/// A conversation with the supplier.
#[derive(Serialize, ToSchema)]
pub struct NegotiationDocument {
    /// Sorts by opening.
    pub id: Uuid,
    /// `extra_power`, `planned_consumption`, `low_consumption`, `actual_consumption` or `notice`.
    #[schema(example = "extra_power")]
    pub kind: &'static str,
    /// `open` or `closed`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// Of a closed one: `granted`, `partly_granted`, `refused`, `unanswered` or `withdrawn`.
    pub outcome: Option<&'static str>,
    /// What it is about as it stands; for extra power the spans and watts that are missing, the
    /// most that is paid, and who asks.
    #[schema(value_type = Object)]
    pub subject: Value,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub opened_at: Timestamp,
    /// When silence becomes a no.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub deadline: Option<Timestamp>,
    /// When it was closed.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_at: Option<Timestamp>,
}

/// A message of a conversation.
#[derive(Serialize, ToSchema)]
pub struct MessageDocument {
    /// Later ones are greater.
    pub id: i64,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub said_at: Timestamp,
    /// `to_supplier` or `from_supplier`.
    #[schema(example = "to_supplier")]
    pub direction: &'static str,
    /// `request`, `withdrawal`, `grant`, `refusal`, `offer`, `acceptance`, `decline`, `forecast`,
    /// `low_consumption`, `low_consumption_withdrawn`, `usage`, `revocation`, ...
    #[schema(example = "request")]
    pub kind: String,
    /// The way it took: `openadr`, `webhook` or `api`.
    #[schema(example = "api")]
    pub carrier: String,
    /// What was said. Powers are watts, money is in the site's currency.
    #[schema(value_type = Object)]
    pub document: Value,
    /// `waiting`, `delivered`, `superseded`, `failed` or `received`.
    #[schema(example = "delivered")]
    pub delivery: &'static str,
    /// How often it was tried to send it.
    pub attempts: u32,
    /// When it is tried next.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_attempt_at: Option<Timestamp>,
    /// When it arrived.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub delivered_at: Option<Timestamp>,
    /// Why it did not.
    pub error: Option<String>,
}

impl NegotiationDocument {
    /// A negotiation as it is shown.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(it: &Negotiation) -> Result<Self, StorageError> {
        Ok(Self {
            id: it.id.as_uuid(),
            kind: it.kind.word(),
            state: if it.outcome.is_none() { "open" } else { "closed" },
            outcome: it.outcome.map(storage::NegotiationOutcome::word),
            subject: read_subject(it)?,
            opened_at: it.opened,
            deadline: it.deadline,
            closed_at: it.closed,
        })
    }
}

impl MessageDocument {
    /// A message as it is shown.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(it: &Message) -> Result<Self, StorageError> {
        Ok(Self {
            id: it.id.get(),
            said_at: it.said.said,
            direction: it.said.direction.word(),
            kind: it.said.kind.clone(),
            carrier: it.said.carrier.clone(),
            document: read_message(it)?,
            delivery: it.said.delivery.word(),
            attempts: it.attempts,
            next_attempt_at: it.next_attempt,
            delivered_at: it.delivered,
            error: it.error.clone(),
        })
    }
}
