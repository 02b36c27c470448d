//! Rows of consumption.

use planner::quantity::Power;
use sqlx::FromRow;

use crate::consumption::Consumed;
use crate::error::StorageError;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct ConsumedRow {
    start_s: i64,
    end_s: i64,
    power_uw: i64,
}

impl TryFrom<ConsumedRow> for Consumed {
    type Error = StorageError;
    fn try_from(row: ConsumedRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "consumption", row: row.start_s };
        Ok(Self {
            span: place.span("end_s", row.start_s, row.end_s)?,
            power: Power::from_microwatts(row.power_uw),
        })
    }
}
