//! Rows of leases.

use std::time::Duration;

use sqlx::FromRow;

use crate::leases::{Lease, Seen};

#[derive(FromRow)]
pub(crate) struct LeaseRow {
    name: String,
    holder: String,
    beat: i64,
    lasts_ms: i64,
}

impl From<LeaseRow> for Lease {
    fn from(row: LeaseRow) -> Self {
        let lasts = Duration::from_millis(row.lasts_ms.unsigned_abs());
        Self { name: row.name, seen: Seen { holder: row.holder, beat: row.beat }, lasts }
    }
}
