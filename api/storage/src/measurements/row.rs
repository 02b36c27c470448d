//! Rows of measurements.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::metering::packed::{DayQuarters, unpack_samples};
use planner::metering::{QuarterHour, QuarterSum, Sample, SampleTime, ValueKind};
use sqlx::FromRow;

use crate::engine::rows::TextsRow;
use crate::error::StorageError;
use crate::measurements::{MeasuredQuarters, NewestSample};
use crate::row::RowPlace;

/// The newest sample of a series from its row, without the one before.
pub(crate) fn read_newest(row: &TextsRow) -> Result<NewestSample, StorageError> {
    let (id, meter, value_kind, node, at_ms, value_milli) = row;
    let place = RowPlace { table: "metered_series", row: *id };
    let at = SampleTime::from_unix_milliseconds(*at_ms);
    Ok(NewestSample {
        meter: Arc::from(meter.as_str()),
        values: place.word("value_kind", value_kind, ValueKind::from_word)?,
        node: Arc::from(node.as_str()),
        sample: Sample { at, value_milli: *value_milli },
        before: None,
    })
}

/// A block of quarter-hours with its series in words.
#[derive(FromRow)]
pub(crate) struct MeasuredRow {
    start_s: i64,
    pub series_id: i64,
    meter: String,
    value_kind: String,
    node: String,
    quarters: Vec<u8>,
}

impl MeasuredRow {
    /// The series without quarter-hours.
    pub fn series(&self) -> Result<MeasuredQuarters, StorageError> {
        let place = RowPlace { table: "metered_series", row: self.series_id };
        Ok(MeasuredQuarters {
            meter: Arc::from(self.meter.as_str()),
            values: place.word("value_kind", &self.value_kind, ValueKind::from_word)?,
            node: Arc::from(self.node.as_str()),
            quarters: BTreeMap::new(),
        })
    }

    /// The quarter-hours of the block.
    pub fn quarters(&self) -> Result<BTreeMap<QuarterHour, QuarterSum>, StorageError> {
        let day = read_day(self.start_s, self.series_id, &self.quarters)?;
        Ok(day.measured().collect())
    }
}

/// The samples of a block.
pub(crate) fn read_samples(
    start_s: i64,
    series_id: i64,
    packed: &[u8],
) -> Result<Vec<Sample>, StorageError> {
    unpack_samples(start_s * 1000, packed).map_err(|error| {
        let place = RowPlace { table: "sample_blocks", row: format!("{start_s}, {series_id}") };
        place.wrong("samples", error.problem())
    })
}

/// The quarter-hours of a block.
pub(crate) fn read_day(
    start_s: i64,
    series_id: i64,
    packed: &[u8],
) -> Result<DayQuarters, StorageError> {
    DayQuarters::unpack(start_s * 1000, packed)
        .map_err(|error| wrong_quarters(start_s, series_id, error.problem()))
}

/// The error of a block of quarter-hours that are none.
pub(crate) fn wrong_quarters(start_s: i64, series_id: i64, problem: &'static str) -> StorageError {
    let place = RowPlace { table: "quarter_blocks", row: format!("{start_s}, {series_id}") };
    place.wrong("quarters", problem)
}
