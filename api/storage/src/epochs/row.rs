//! Rows of calibration epochs.

use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::EpochId;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct EpochRow {
    pub id: EpochId,
    pub created_s: i64,
    node_count: i64,
    pub numbered: bool,
    pub labels: String,
    pub digest: Option<Vec<u8>>,
}

impl EpochRow {
    /// How many nodes it has.
    pub(crate) fn node_count(&self) -> Result<u32, StorageError> {
        let place = RowPlace { table: "calibration_epochs", row: self.id };
        place.count("node_count", self.node_count)
    }
}
