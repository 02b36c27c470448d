//! Rows of measurements.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::metering::packed::{PackedError, unpack_quarters, unpack_samples};
use planner::metering::{QuarterHour, QuarterSum, Sample, SampleTime, ValueKind};
use sqlx::FromRow;

use crate::error::StorageError;
use crate::measurements::{MeasuredQuarters, NewestSample};
use crate::row::RowPlace;

/// A series, and its newest sample where it has one.
#[derive(FromRow)]
pub(crate) struct SeriesRow {
    pub id: i64,
    pub node: String,
    at_ms: Option<i64>,
    value_milli: Option<i64>,
}

impl SeriesRow {
    pub fn newest(&self) -> Option<Sample> {
        let at = SampleTime::from_unix_milliseconds(self.at_ms?);
        Some(Sample { at, value_milli: self.value_milli? })
    }
}

/// The newest sample of a series with its series in words.
#[derive(FromRow)]
pub(crate) struct NewestRow {
    pub id: i64,
    meter: String,
    value_kind: String,
    node: String,
    at_ms: i64,
    value_milli: i64,
}

impl NewestRow {
    /// The sample, without the one before.
    pub fn newest(&self) -> Result<NewestSample, StorageError> {
        let place = RowPlace { table: "metered_series", row: self.id };
        let at = SampleTime::from_unix_milliseconds(self.at_ms);
        Ok(NewestSample {
            meter: Arc::from(self.meter.as_str()),
            values: place.word("value_kind", &self.value_kind, ValueKind::from_word)?,
            node: Arc::from(self.node.as_str()),
            sample: Sample { at, value_milli: self.value_milli },
            before: None,
        })
    }
}

/// A block of a series.
#[derive(FromRow)]
pub(crate) struct BlockRow {
    pub series_id: i64,
    pub packed: Vec<u8>,
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
        read_quarters(self.start_s, self.series_id, &self.quarters)
    }
}

/// The samples of a block.
pub(crate) fn read_samples(
    start_s: i64,
    series_id: i64,
    packed: &[u8],
) -> Result<Vec<Sample>, StorageError> {
    let place = RowPlace { table: "sample_blocks", row: format!("{start_s}, {series_id}") };
    unpack_samples(start_s * 1000, packed).map_err(|error| place.wrong("samples", error.problem()))
}

/// The quarter-hours of a block.
pub(crate) fn read_quarters(
    start_s: i64,
    series_id: i64,
    packed: &[u8],
) -> Result<BTreeMap<QuarterHour, QuarterSum>, StorageError> {
    let place = RowPlace { table: "quarter_blocks", row: format!("{start_s}, {series_id}") };
    let read = unpack_quarters(start_s * 1000, packed);
    read.map_err(|error: PackedError| place.wrong("quarters", error.problem()))
}
