//! Rows of series.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::SeriesId;
use crate::row::RowPlace;
use crate::series::{Occurrence, OccurrenceState, RecurringSeries, SeriesStanding, SeriesState};

#[derive(FromRow)]
pub(crate) struct SeriesRow {
    id: SeriesId,
    owner: String,
    project: String,
    standing: String,
    state: String,
    request: String,
    rule: String,
    being_made: bool,
    releases: bool,
    created_s: i64,
    ended_s: Option<i64>,
    revision: i64,
    row_version: i64,
}

#[derive(FromRow)]
pub(crate) struct OccurrenceRow {
    series_id: SeriesId,
    occurrence: String,
    earliest_start_s: i64,
    latest_start_s: i64,
    known_by_s: i64,
    state: String,
    pub(crate) is_exception: bool,
    reservation_id: Option<Uuid>,
    revision: i64,
    next_try_s: Option<i64>,
    reason_code: Option<String>,
    reason: Option<String>,
    version: i64,
}

impl TryFrom<SeriesRow> for RecurringSeries {
    type Error = StorageError;

    fn try_from(row: SeriesRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "series", row: row.id };
        Ok(Self {
            id: row.id,
            owner: row.owner,
            project: row.project,
            standing: place.word("standing", &row.standing, SeriesStanding::from_word)?,
            state: place.word("state", &row.state, SeriesState::from_word)?,
            request: row.request,
            rule: row.rule,
            being_made: row.being_made,
            releases: row.releases,
            created: Timestamp::from_unix_seconds(row.created_s),
            ended: row.ended_s.map(Timestamp::from_unix_seconds),
            revision: row.revision,
            row_version: row.row_version,
        })
    }
}

impl TryFrom<OccurrenceRow> for Occurrence {
    type Error = StorageError;

    fn try_from(row: OccurrenceRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "series_occurrences", row: row.series_id };
        Ok(Self {
            series: row.series_id,
            occurrence: row.occurrence,
            earliest_start: Timestamp::from_unix_seconds(row.earliest_start_s),
            latest_start: Timestamp::from_unix_seconds(row.latest_start_s),
            known_by: Timestamp::from_unix_seconds(row.known_by_s),
            state: place.word("state", &row.state, OccurrenceState::from_word)?,
            is_exception: row.is_exception,
            reservation: row.reservation_id.map(ReservationId::new),
            revision: row.revision,
            next_try: row.next_try_s.map(Timestamp::from_unix_seconds),
            reason: row.reason_code.zip(row.reason),
            version: row.version,
        })
    }
}
