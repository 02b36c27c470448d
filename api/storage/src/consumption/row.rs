//! Rows of consumption.

use planner::quantity::Power;
use sqlx::FromRow;

use crate::consumption::Consumed;
use crate::error::StorageError;
use crate::row::{inconsistent, span};

#[derive(FromRow)]
pub(crate) struct ConsumedRow {
    start_s: i64,
    end_s: i64,
    power_uw: i64,
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
