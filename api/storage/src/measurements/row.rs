//! Rows of measurements.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

use planner::metering::packed::{DayQuarters, unpack_samples};
use planner::metering::{QuarterHour, Sample, SampleTime, ValueKind};
use sqlx::FromRow;

use crate::engine::rows::{BytesRow, TextsRow};
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

/// What rows say of a span, as they are read.
pub(crate) struct MeasuredSeries {
    /// The quarter-hours that count.
    touched: RangeInclusive<QuarterHour>,
    found: Vec<MeasuredQuarters>,
    /// Where a series stands among these.
    positions: HashMap<i64, usize>,
    /// The names of meters, of which there are few.
    meters: BTreeSet<Arc<str>>,
}

impl MeasuredSeries {
    /// Nothing yet of these quarter-hours.
    pub fn of(touched: RangeInclusive<QuarterHour>) -> Self {
        let (found, positions) = (Vec::new(), HashMap::new());
        Self { touched, found, positions, meters: BTreeSet::new() }
    }

    /// With more rows; those of a series are in time order.
    ///
    /// # Errors
    /// A block cannot be read.
    pub fn with(mut self, rows: Vec<MeasuredRow>) -> Result<Self, StorageError> {
        for row in rows {
            let day = read_day(row.start_s, row.series_id, &row.quarters)?;
            let touched = |(quarter, _): &(QuarterHour, _)| self.touched.contains(quarter);
            let quarters: Vec<_> = day.measured().filter(touched).collect();
            if quarters.is_empty() {
                continue;
            }
            let next = self.found.len();
            let at = *self.positions.entry(row.series_id).or_insert(next);
            if let Some(known) = self.found.get_mut(at) {
                known.quarters.extend(quarters);
                continue;
            }
            let place = RowPlace { table: "metered_series", row: row.series_id };
            let values = place.word("value_kind", &row.value_kind, ValueKind::from_word)?;
            let (meter, node) = (self.meter(row.meter), Arc::from(row.node));
            self.found.push(MeasuredQuarters { meter, values, node, quarters });
        }
        Ok(self)
    }

    /// With the blocks of a day, and the series that they are of.
    ///
    /// # Errors
    /// A block cannot be read.
    pub fn with_blocks(
        self,
        start_s: i64,
        series: Vec<TextsRow>,
        blocks: Vec<BytesRow>,
    ) -> Result<Self, StorageError> {
        let mut of: HashMap<i64, TextsRow> = series.into_iter().map(|row| (row.0, row)).collect();
        let row = |(series_id, quarters): BytesRow| {
            let (_, meter, value_kind, node, ..) = of.remove(&series_id)?;
            Some(MeasuredRow { start_s, series_id, meter, value_kind, node, quarters })
        };
        self.with(blocks.into_iter().filter_map(row).collect())
    }

    /// What was found, in the order in which series came.
    pub fn found(self) -> Vec<MeasuredQuarters> {
        self.found
    }

    fn meter(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.meters.get(name.as_str()) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(name);
        self.meters.insert(Arc::clone(&name));
        name
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
