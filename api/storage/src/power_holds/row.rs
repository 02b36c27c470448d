//! Rows of nodes that are not switched off.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::power_holds::PowerHold;

#[derive(FromRow)]
pub(crate) struct PowerHoldRow {
    node: String,
    until_s: i64,
    by_name: String,
    created_s: i64,
}

impl From<PowerHoldRow> for PowerHold {
    fn from(row: PowerHoldRow) -> Self {
        Self {
            node: row.node,
            until: Timestamp::from_unix_seconds(row.until_s),
            by: row.by_name,
            created: Timestamp::from_unix_seconds(row.created_s),
        }
    }
}
