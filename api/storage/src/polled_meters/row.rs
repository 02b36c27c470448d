//! Rows of meters that are asked.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::polled_meters::PolledMeter;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct PolledMeterRow {
    id: String,
    asked_until_s: Option<i64>,
    last_poll_s: i64,
    last_success_s: Option<i64>,
    next_poll_s: i64,
    failures_in_turn: i64,
    failure_s: Option<i64>,
    failure: Option<String>,
    notes: String,
    polls: i64,
    failures: i64,
    taken: i64,
    late: i64,
    doubled: i64,
    refused: i64,
}

impl TryFrom<PolledMeterRow> for PolledMeter {
    type Error = StorageError;
    fn try_from(row: PolledMeterRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "polled_meters", row: &row.id };
        let failure = match (instant(row.failure_s), row.failure) {
            (Some(at), Some(words)) => Some((at, words)),
            (None, None) => None,
            _ => return Err(place.wrong("failure", "the failure is not all there")),
        };
        Ok(Self {
            id: row.id,
            asked_until: instant(row.asked_until_s),
            last_poll: Timestamp::from_unix_seconds(row.last_poll_s),
            last_success: instant(row.last_success_s),
            next_poll: Timestamp::from_unix_seconds(row.next_poll_s),
            failures_in_turn: u32::try_from(row.failures_in_turn).unwrap_or(u32::MAX),
            failure,
            notes: row.notes.lines().map(str::to_owned).collect(),
            polls: row.polls,
            failures: row.failures,
            taken: row.taken,
            late: row.late,
            doubled: row.doubled,
            refused: row.refused,
        })
    }
}
