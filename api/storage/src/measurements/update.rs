//! What is to be written for a batch of samples. Pure: nothing is read or written here.

use std::collections::{BTreeMap, HashMap};

use planner::metering::packed::{DAY_MS, DayQuarters, SAMPLES_MS, pack_samples};
use planner::metering::{
    Fate, KeptSamples, Meter, QUARTER_MS, QuarterHour, QuarterSum, Sample, merge,
};

use crate::engine::rows::BytesRow;
use crate::error::StorageError;
use crate::measurements::row::{read_day, read_samples, wrong_quarters};

const SAMPLES_S: i64 = SAMPLES_MS / 1000;
const DAY_S: i64 = DAY_MS / 1000;

/// Blocks to be written: by their start, of each series the bytes.
pub(super) type Blocks = BTreeMap<i64, Vec<BytesRow>>;

/// What changes of the quarter-hours of a day: of each series.
pub(super) type DayChanges = Vec<(i64, Vec<(QuarterHour, QuarterSum)>)>;

/// A series with new samples.
#[derive(Debug)]
pub(super) struct SeriesUpdate {
    /// Its position in the batch.
    pub(super) position: usize,
    pub(super) id: i64,
    pub(super) newest: Option<Sample>,
    /// In time order, at least one.
    pub(super) new: Vec<Sample>,
    /// The packed blocks that are at hand, by their start.
    blocks: Vec<(i64, Vec<u8>)>,
}

/// A part of a batch on its way.
#[derive(Debug)]
pub(super) struct PartUpdate {
    meter: Meter,
    /// By their ids, which is the order of the tables' keys.
    series: Vec<SeriesUpdate>,
}

/// What a part of a batch leads to, but for quarter-hours.
#[derive(Debug, Default)]
pub(super) struct PartMerged {
    pub(super) samples: Blocks,
    /// By days.
    pub(super) changes: BTreeMap<i64, DayChanges>,
    /// Series, milliseconds and value.
    pub(super) newest: Vec<(i64, i64, i64)>,
    /// By the position of the series in the batch.
    pub(super) fates: Vec<(usize, Vec<Fate>)>,
    /// How many samples came after a reset of their counter.
    pub(super) resets: usize,
}

impl SeriesUpdate {
    pub(super) const fn new(
        position: usize,
        id: i64,
        newest: Option<Sample>,
        new: Vec<Sample>,
    ) -> Self {
        Self { position, id, newest, new, blocks: Vec::new() }
    }

    /// The starts of the blocks that the new samples belong to, in order.
    fn touched(&self) -> impl Iterator<Item = i64> {
        let of_one_block = |one: &Sample, next: &Sample| block_of(*one) == block_of(*next);
        self.new.chunk_by(of_one_block).filter_map(|samples| samples.first().copied().map(block_of))
    }

    /// The starts of the blocks that are needed, in order. What comes after the newest sample needs but that and its
    /// block; no meter bridges more than a block, so that others need those on either side.
    fn wanted(&self) -> Vec<i64> {
        match (self.newest, self.new.first()) {
            (None, _) | (_, None) => Vec::new(),
            (Some(newest), Some(first)) if newest.at < first.at => {
                self.touched().filter(|start| *start == block_of(newest)).collect()
            }
            _ => {
                let around = |it| [it - SAMPLES_S, it, it + SAMPLES_S];
                let mut wanted: Vec<i64> = self.touched().flat_map(around).collect();
                wanted.sort_unstable();
                wanted.dedup();
                wanted
            }
        }
    }
}

impl PartUpdate {
    /// Of series by their ids.
    pub(super) const fn new(meter: Meter, series: Vec<SeriesUpdate>) -> Self {
        Self { meter, series }
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

    /// Puts blocks at hand, by their start; those of other series are left out.
    pub(super) fn put_blocks(&mut self, start_s: i64, rows: Vec<BytesRow>) {
        for (id, packed) in rows {
            if let Ok(at) = self.series.binary_search_by_key(&id, |series| series.id) {
                self.series[at].blocks.push((start_s, packed));
            }
        }
    }

    /// Puts the new samples among the kept ones.
    pub(super) fn merged(self) -> Result<PartMerged, StorageError> {
        let mut part = PartMerged::default();
        for series in &self.series {
            part.add(&self.meter, series)?;
        }
        Ok(part)
    }
}

impl PartMerged {
    fn add(&mut self, meter: &Meter, series: &SeriesUpdate) -> Result<(), StorageError> {
        let mut samples = Vec::new();
        for (start_s, packed) in &series.blocks {
            samples.extend(read_samples(*start_s, series.id, packed)?);
        }
        let merged = merge(meter, &KeptSamples { samples, newest: series.newest }, &series.new);
        self.resets += merged.resets;
        if merged.fates.iter().any(|fate| matches!(fate, Fate::Newest | Fate::Late)) {
            for start_s in series.touched() {
                let of_block = of_block(&merged.samples, start_s);
                let packed = pack_samples(meter.values, start_s * 1000, of_block);
                self.samples.entry(start_s).or_default().push((series.id, packed));
            }
        }
        self.fates.push((series.position, merged.fates));
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
    kept: Vec<BytesRow>,
) -> Result<Vec<BytesRow>, StorageError> {
    let kept: HashMap<i64, Vec<u8>> = kept.into_iter().collect();
    let after = |(id, changes): (i64, Vec<(QuarterHour, QuarterSum)>)| {
        let mut day = match kept.get(&id) {
            Some(packed) => read_day(day_s, id, packed)?,
            None => DayQuarters::new(day_s * 1000),
        };
        for (quarter, change) in changes {
            let Some(sum) = day.sum_mut(quarter) else {
                unreachable!("it is of this day");
            };
            sum.add(change);
            if !(0..=QUARTER_MS).contains(&sum.covered_ms) || sum.energy_uj < 0 {
                let problem = "more is measured than a quarter-hour has";
                return Err(wrong_quarters(day_s, id, problem));
            }
        }
        Ok((id, day.pack()))
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
