//! Rows of calibration epochs.

use sqlx::FromRow;

use crate::identity::EpochId;

#[derive(FromRow)]
pub(crate) struct EpochRow {
    pub id: EpochId,
    pub created_s: i64,
    pub node_count: i64,
    pub numbered: bool,
    pub labels: String,
    pub digest: Option<Vec<u8>>,
}
