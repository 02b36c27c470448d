//! Rows of grants.

use planner::dialogue::{Grant, GrantState};
use planner::identity::{GrantId, NegotiationId};
use planner::quantity::Power;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct GrantRow {
    #[sqlx(try_from = "Uuid")]
    id: GrantId,
    supplier_id: Option<String>,
    negotiation_id: Option<Uuid>,
    standing: String,
    start_s: i64,
    end_s: i64,
    power_uw: i64,
    fee_millionths: i64,
    received_s: i64,
}

impl TryFrom<GrantRow> for Grant {
    type Error = StorageError;
    fn try_from(row: GrantRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "grants", row: row.id };
        Ok(Self {
            id: row.id,
            supplier_id: row.supplier_id,
            negotiation_id: row.negotiation_id.map(NegotiationId::new),
            state: place.word("standing", &row.standing, GrantState::from_word)?,
            span: place.span("end_s", row.start_s, row.end_s)?,
            power: Power::from_microwatts(row.power_uw),
            fee_millionths: row.fee_millionths,
            received: Timestamp::from_unix_seconds(row.received_s),
        })
    }
}
