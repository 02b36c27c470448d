//! Rows of outages, and their way into the domain.

use planner::identity::OutageId;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::EpochId;
use crate::outages::{Outage, OutageKind};
use crate::row::{RowPlace, instant, set_of};

#[derive(FromRow)]
pub(crate) struct OutageRow {
    #[sqlx(try_from = "Uuid")]
    id: OutageId,
    kind: String,
    managed_key: Option<String>,
    owner: String,
    reason: String,
    created_s: i64,
    epoch: EpochId,
    start_s: i64,
    end_s: Option<i64>,
    ranks: String,
}

impl TryFrom<OutageRow> for Outage {
    type Error = StorageError;
    fn try_from(row: OutageRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "outages", row: row.id };
        Ok(Self {
            id: row.id,
            kind: place.word("kind", &row.kind, OutageKind::from_word)?,
            managed_key: row.managed_key,
            owner: row.owner,
            reason: row.reason,
            created: Timestamp::from_unix_seconds(row.created_s),
            epoch: row.epoch,
            start: Timestamp::from_unix_seconds(row.start_s),
            end: instant(row.end_s),
            ranks: place.readable("ranks", set_of(&row.ranks))?,
        })
    }
}
