//! Rows of leases.

use std::time::Duration;

use sqlx::FromRow;

use crate::error::StorageError;
use crate::leases::{Lease, Seen};
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct LeaseRow {
    name: String,
    holder: String,
    beat: i64,
    lasts_ms: i64,
}

impl TryFrom<LeaseRow> for Lease {
    type Error = StorageError;
    fn try_from(row: LeaseRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "leases", row: &row.name };
        let negative = |_| place.wrong("lasts_ms", "the number is out of range");
        let lasts = Duration::from_millis(u64::try_from(row.lasts_ms).map_err(negative)?);
        Ok(Self { name: row.name, seen: Seen { holder: row.holder, beat: row.beat }, lasts })
    }
}
