//! What is to be written for a batch of samples. Pure: nothing is read or written here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planner::metering::packed::{DAY_MS, SAMPLES_MS, pack_quarters, pack_samples};
use planner::metering::{
    Fate, KeptSamples, Meter, QUARTER_MS, QuarterHour, QuarterSum, Sample, merge,
};

use crate::error::StorageError;
use crate::measurements::SampleFates;
use crate::measurements::row::{BlockRow, read_quarters, read_samples};
use crate::row::RowPlace;

const SAMPLES_S: i64 = SAMPLES_MS / 1000;
const DAY_S: i64 = DAY_MS / 1000;

/// Blocks to be written: by their start, of each series the bytes.
pub(super) type Blocks = BTreeMap<i64, Vec<(i64, Vec<u8>)>>;

/// What changes of the quarter-hours of a day: of each series.
pub(super) type DayChanges = Vec<(i64, Vec<(QuarterHour, QuarterSum)>)>;

/// A series with new samples.
#[derive(Debug)]
pub(super) struct SeriesUpdate {
    pub(super) id: i64,
    pub(super) newest: Option<Sample>,
    /// In time order, at least one.
    pub(super) new: Vec<Sample>,
    /// The packed blocks that are at hand, by their start.
    blocks: BTreeMap<i64, Vec<u8>>,
}

/// A batch on its way.
#[derive(Debug)]
pub(super) struct BatchUpdate {
    meter: Meter,
    series: Vec<SeriesUpdate>,
    positions: HashMap<i64, usize>,
}

/// What a batch leads to, but for quarter-hours.
#[derive(Debug, Default)]
pub(super) struct BatchMerged {
    pub(super) samples: Blocks,
    /// By days.
    pub(super) changes: BTreeMap<i64, DayChanges>,
    /// Series, milliseconds and value.
    pub(super) newest: Vec<(i64, i64, i64)>,
    pub(super) fates: SampleFates,
}

impl SeriesUpdate {
    pub(super) const fn new(id: i64, newest: Option<Sample>, new: Vec<Sample>) -> Self {
        Self { id, newest, new, blocks: BTreeMap::new() }
    }

    /// The starts of the blocks that the new samples belong to.
    fn touched(&self) -> BTreeSet<i64> {
        self.new.iter().map(|sample| block_of(*sample)).collect()
    }

    /// The starts of the blocks that are needed. What comes after the newest sample needs but that and its block;
    /// no meter bridges more than a block, so that others need those on either side.
    fn wanted(&self) -> BTreeSet<i64> {
        let touched = self.touched();
        match (self.newest, self.new.first()) {
            (None, _) | (_, None) => BTreeSet::new(),
            (Some(newest), Some(first)) if newest.at < first.at => {
                touched.into_iter().filter(|start| *start == block_of(newest)).collect()
            }
            _ => touched.iter().flat_map(|it| [it - SAMPLES_S, *it, it + SAMPLES_S]).collect(),
        }
    }
}

impl BatchUpdate {
    pub(super) fn new(meter: Meter, series: Vec<SeriesUpdate>) -> Self {
        let positions = series.iter().enumerate().map(|(at, series)| (series.id, at)).collect();
        Self { meter, series, positions }
    }

    /// The blocks that are needed: by their start, of which series.
    pub(super) fn wanted(&self) -> BTreeMap<i64, Vec<i64>> {
        let mut wanted: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for series in &self.series {
            for start in series.wanted() {
                wanted.entry(start).or_default().push(series.id);
            }
        }
        wanted
    }

    /// Puts blocks at hand.
    pub(super) fn put_blocks(&mut self, start_s: i64, rows: Vec<BlockRow>) {
        for row in rows {
            if let Some(at) = self.positions.get(&row.series_id) {
                self.series[*at].blocks.insert(start_s, row.packed);
            }
        }
    }

    /// Puts the new samples among the kept ones.
    pub(super) fn merged(self) -> Result<BatchMerged, StorageError> {
        let mut batch = BatchMerged::default();
        for series in &self.series {
            batch.add(&self.meter, series)?;
        }
        // In the order of the table's key.
        for rows in batch.samples.values_mut() {
            rows.sort_unstable_by_key(|(id, _)| *id);
        }
        for rows in batch.changes.values_mut() {
            rows.sort_unstable_by_key(|(id, _)| *id);
        }
        batch.newest.sort_unstable();
        Ok(batch)
    }
}

impl BatchMerged {
    fn add(&mut self, meter: &Meter, series: &SeriesUpdate) -> Result<(), StorageError> {
        let mut samples = Vec::new();
        for (start_s, packed) in &series.blocks {
            samples.extend(read_samples(*start_s, series.id, packed)?);
        }
        let merged = merge(meter, &KeptSamples { samples, newest: series.newest }, &series.new);
        self.fates.resets += merged.resets;
        if merged.fates.iter().any(|fate| matches!(fate, Fate::Newest | Fate::Late)) {
            for start_s in series.touched() {
                let of_block = of_block(&merged.samples, start_s);
                let packed = pack_samples(meter.values, start_s * 1000, of_block);
                self.samples.entry(start_s).or_default().push((series.id, packed));
            }
        }
        self.fates.fates.push(merged.fates);
        if let Some(newest) = merged.newest.filter(|newest| Some(*newest) != series.newest) {
            self.newest.push((series.id, newest.at.as_unix_milliseconds(), newest.value_milli));
        }
        for (quarter, change) in merged.changes {
            let day_s = quarter.start().as_unix_seconds().div_euclid(DAY_S) * DAY_S;
            let of_day = self.changes.entry(day_s).or_default();
            match of_day.last_mut() {
                Some((id, changes)) if *id == series.id => changes.push((quarter, change)),
                _ => of_day.push((series.id, vec![(quarter, change)])),
            }
        }
        Ok(())
    }
}

/// The blocks of quarter-hours of a day after changes, beside what is kept of it.
pub(super) fn changed_quarters(
    day_s: i64,
    changes: DayChanges,
    kept: Vec<BlockRow>,
) -> Result<Vec<(i64, Vec<u8>)>, StorageError> {
    let kept: HashMap<i64, Vec<u8>> =
        kept.into_iter().map(|row| (row.series_id, row.packed)).collect();
    let after = |(id, changes): (i64, Vec<(QuarterHour, QuarterSum)>)| {
        let mut quarters = match kept.get(&id) {
            Some(packed) => read_quarters(day_s, id, packed)?,
            None => BTreeMap::new(),
        };
        for (quarter, change) in changes {
            let sum = quarters.entry(quarter).or_default();
            sum.add(change);
            if !(0..=QUARTER_MS).contains(&sum.covered_ms) || sum.energy_uj < 0 {
                let place = RowPlace { table: "quarter_blocks", row: format!("{day_s}, {id}") };
                return Err(place.wrong("quarters", "more is measured than a quarter-hour has"));
            }
        }
        Ok((id, pack_quarters(day_s * 1000, &quarters)))
    };
    changes.into_iter().map(after).collect()
}

/// The starts of the blocks that the sample before a sample may be in.
pub(super) fn blocks_before(sample: Sample) -> [i64; 2] {
    [block_of(sample) - SAMPLES_S, block_of(sample)]
}

/// The start of the block that a sample belongs to.
fn block_of(sample: Sample) -> i64 {
    sample.at.as_unix_milliseconds().div_euclid(SAMPLES_MS) * SAMPLES_S
}

/// The samples of a block among others in time order.
fn of_block(samples: &[Sample], start_s: i64) -> &[Sample] {
    let from = samples.partition_point(|sample| block_of(*sample) < start_s);
    let until = samples.partition_point(|sample| block_of(*sample) <= start_s);
    &samples[from..until]
}
