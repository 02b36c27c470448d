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
use crate::row::inconsistent;

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
        let wrong = |problem| inconsistent("negotiations", &row.id, problem);
        let outcome = |word: String| {
            NegotiationOutcome::from_word(&word).ok_or_else(wrong("unknown outcome"))
        };
        Ok(Self {
            id: row.id,
            kind: NegotiationKind::from_word(&row.kind).ok_or_else(wrong("unknown kind"))?,
            outcome: row.outcome.map(outcome).transpose()?,
            subject: row.subject,
            opened: Timestamp::from_unix_seconds(row.opened_s),
            deadline: row.deadline_s.map(Timestamp::from_unix_seconds),
            closed: row.closed_s.map(Timestamp::from_unix_seconds),
        })
    }
}

impl TryFrom<MessageRow> for Message {
    type Error = StorageError;
    fn try_from(row: MessageRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("negotiation_messages", &row.id, problem);
        let direction = Direction::from_word(&row.direction);
        let delivery = Delivery::from_word(&row.delivery);
        Ok(Self {
            id: row.id,
            negotiation_id: row.negotiation_id,
            said: NewMessage {
                said: Timestamp::from_unix_seconds(row.said_s),
                direction: direction.ok_or_else(wrong("unknown direction"))?,
                kind: row.kind,
                carrier: row.carrier,
                document: row.document,
                delivery: delivery.ok_or_else(wrong("unknown delivery"))?,
            },
            attempts: u32::try_from(row.attempts).unwrap_or(u32::MAX),
            next_attempt: row.next_attempt_s.map(Timestamp::from_unix_seconds),
            delivered: row.delivered_s.map(Timestamp::from_unix_seconds),
            error: row.error,
        })
    }
}
