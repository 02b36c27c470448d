//! Rows of the dialogue with the supplier.

use planner::quantity::Power;
use planner::time::Timestamp;
use sqlx::FromRow;

use super::{inconsistent, span};
use crate::error::StorageError;
use crate::identity::{GrantId, MessageId, NegotiationId};
use crate::negotiation::{
    Consumed, Delivery, Direction, Grant, GrantStanding, Message, Negotiation, NegotiationKind,
    NegotiationOutcome, NewMessage,
};

#[derive(FromRow)]
pub(crate) struct NegotiationRow {
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

#[derive(FromRow)]
pub(crate) struct GrantRow {
    id: GrantId,
    supplier_id: Option<String>,
    negotiation_id: Option<NegotiationId>,
    standing: String,
    start_s: i64,
    end_s: i64,
    power_uw: i64,
    fee_millionths: i64,
    received_s: i64,
}

#[derive(FromRow)]
pub(crate) struct ConsumedRow {
    start_s: i64,
    end_s: i64,
    power_uw: i64,
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

impl TryFrom<GrantRow> for Grant {
    type Error = StorageError;
    fn try_from(row: GrantRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("grants", &row.id, problem);
        Ok(Self {
            id: row.id,
            supplier_id: row.supplier_id,
            negotiation_id: row.negotiation_id,
            standing: GrantStanding::from_word(&row.standing)
                .ok_or_else(wrong("unknown standing"))?,
            span: span(row.start_s, row.end_s).ok_or_else(wrong("the span is empty"))?,
            power: Power::from_microwatts(row.power_uw),
            fee_millionths: row.fee_millionths,
            received: Timestamp::from_unix_seconds(row.received_s),
        })
    }
}

impl TryFrom<ConsumedRow> for Consumed {
    type Error = StorageError;
    fn try_from(row: ConsumedRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("consumption", &row.start_s, "the span is empty");
        Ok(Self {
            span: span(row.start_s, row.end_s).ok_or_else(wrong)?,
            power: Power::from_microwatts(row.power_uw),
        })
    }
}
