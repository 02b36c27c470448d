//! Rows of the power log, and their way into the domain.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::PowerActionId;
use crate::power_log::{LogWhat, PowerLogEntry};
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct PowerLogRow {
    id: i64,
    at_s: i64,
    node: String,
    action_id: Option<PowerActionId>,
    what: String,
    by_name: Option<String>,
    because: Option<String>,
}

impl TryFrom<PowerLogRow> for PowerLogEntry {
    type Error = StorageError;
    fn try_from(row: PowerLogRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "power_log", row: row.id };
        Ok(Self {
            id: row.id,
            at: Timestamp::from_unix_seconds(row.at_s),
            node: row.node,
            action_id: row.action_id,
            what: place.word("what", &row.what, LogWhat::from_word)?,
            by: row.by_name,
            because: row.because,
        })
    }
}
