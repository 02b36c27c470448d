//! Rows of remembered answers.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct IdempotencyRow {
    owner: String,
    key: String,
    fingerprint: String,
    status: i64,
    response: String,
    created_s: i64,
}

impl TryFrom<IdempotencyRow> for IdempotencyRecord {
    type Error = StorageError;
    fn try_from(row: IdempotencyRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "idempotency_keys", row: &row.key };
        let wrong = |_| place.wrong("status", "the number is out of range");
        Ok(Self {
            status: u16::try_from(row.status).map_err(wrong)?,
            owner: row.owner,
            key: row.key,
            fingerprint: row.fingerprint,
            response: row.response,
            created: Timestamp::from_unix_seconds(row.created_s),
        })
    }
}
