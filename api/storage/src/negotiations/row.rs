//! Rows of the dialogue with the supplier.

use planner::identity::NegotiationId;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::MessageId;
use crate::negotiations::{
    Delivery, Direction, Message, Negotiation, NegotiationKind, NegotiationOutcome, NewMessage,
};
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct NegotiationRow {
    #[sqlx(try_from = "Uuid")]
    id: NegotiationId,
    kind: String,
    outcome: Option<String>,
    subject: String,
    opened_s: i64,
    deadline_s: Option<i64>,
    closed_s: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct MessageRow {
    id: MessageId,
    #[sqlx(try_from = "Uuid")]
    negotiation_id: NegotiationId,
    said_s: i64,
    direction: String,
    kind: String,
    carrier: String,
    document: String,
    delivery: String,
    attempts: i64,
    next_attempt_s: Option<i64>,
    delivered_s: Option<i64>,
    error: Option<String>,
}

impl TryFrom<NegotiationRow> for Negotiation {
    type Error = StorageError;
    fn try_from(row: NegotiationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "negotiations", row: row.id };
        let outcome = |word: &str| place.word("outcome", word, NegotiationOutcome::from_word);
        Ok(Self {
            id: row.id,
            kind: place.word("kind", &row.kind, NegotiationKind::from_word)?,
            outcome: row.outcome.as_deref().map(outcome).transpose()?,
            subject: row.subject,
            opened: Timestamp::from_unix_seconds(row.opened_s),
            deadline: instant(row.deadline_s),
            closed: instant(row.closed_s),
        })
    }
}

impl TryFrom<MessageRow> for Message {
    type Error = StorageError;
    fn try_from(row: MessageRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "negotiation_messages", row: row.id };
        Ok(Self {
            id: row.id,
            negotiation_id: row.negotiation_id,
            said: NewMessage {
                said: Timestamp::from_unix_seconds(row.said_s),
                direction: place.word("direction", &row.direction, Direction::from_word)?,
                kind: row.kind,
                carrier: row.carrier,
                document: row.document,
                delivery: place.word("delivery", &row.delivery, Delivery::from_word)?,
            },
            attempts: place.count("attempts", row.attempts)?,
            next_attempt: instant(row.next_attempt_s),
            delivered: instant(row.delivered_s),
            error: row.error,
        })
    }
}
