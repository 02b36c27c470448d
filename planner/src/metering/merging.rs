//! Puts new samples of a series among those that are kept, and tells what changes.

use std::collections::BTreeMap;

use super::{Bridge, Meter, QuarterHour, QuarterSum, Sample, add_energy_between, bridge};

/// What is kept of a series, as far as new samples touch it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSamples {
    /// In time order, no two at an instant. Wherever a new sample goes among them, the kept ones within the meter's
    /// longest gap on either side are there; the newest need not be, where all new samples come after it.
    pub samples: Vec<Sample>,
    /// The newest sample of the series.
    pub newest: Option<Sample>,
}

/// What became of a new sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is the newest of its series.
    Newest,
    /// It is put before samples that came earlier.
    Late,
    /// It was kept before.
    Doubled,
    /// Another value was kept before for the same instant, and stays.
    Contradicting,
}

/// A series with new samples among the kept ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The kept ones that were given, and the new ones, in time order.
    pub samples: Vec<Sample>,
    /// The newest sample of the series.
    pub newest: Option<Sample>,
    /// What is to be added to quarter-hours.
    pub changes: BTreeMap<QuarterHour, QuarterSum>,
    /// What became of each new sample, in their order.
    pub fates: Vec<Fate>,
    /// How many of the new samples come after a reset.
    pub resets: usize,
}

/// Puts new samples, in time order, among those that are kept.
pub fn merge(meter: &Meter, kept: &KeptSamples, new: &[Sample]) -> Merged {
    let mut merging = Merging {
        meter,
        before: None,
        bridged_from: None,
        merged: Merged {
            samples: Vec::with_capacity(kept.samples.len() + new.len()),
            newest: kept.newest,
            changes: BTreeMap::new(),
            fates: Vec::with_capacity(new.len()),
            resets: 0,
        },
    };
    let mut old = kept.samples.iter().copied().peekable();
    for &sample in new {
        while let Some(sample) = old.next_if(|it| it.at <= sample.at) {
            merging.old(sample);
        }
        // The newest may lie in a block that is not among the kept ones.
        if let Some(newest) = kept.newest.filter(|it| it.at < sample.at) {
            merging.before_newest(newest);
        }
        let late = kept.newest.is_some_and(|newest| newest.at >= sample.at);
        merging.new_sample(sample, late);
    }
    for sample in old {
        merging.old(sample);
    }
    merging.merged
}

/// The state between two samples.
struct Merging<'m> {
    meter: &'m Meter,
    /// The sample before, and whether it is new.
    before: Option<(Sample, bool)>,
    /// The last old sample, whose energy up to the next old one is taken back if new ones lie between.
    bridged_from: Option<Sample>,
    merged: Merged,
}

impl Merging<'_> {
    /// The next sample is a kept one.
    fn old(&mut self, sample: Sample) {
        self.merged.samples.push(sample);
        self.close_at(sample);
    }

    /// The next kept sample of the series is this: what new ones before it changed is told.
    fn close_at(&mut self, sample: Sample) {
        if let Some((before, true)) = self.before {
            if let Some(old) = self.bridged_from {
                add_energy_between(self.meter, old, sample, -1, &mut self.merged.changes);
            }
            add_energy_between(self.meter, before, sample, 1, &mut self.merged.changes);
        }
        self.before = Some((sample, false));
        self.bridged_from = Some(sample);
    }

    /// A kept sample that is not in the blocks at hand comes before the next new one.
    fn before_newest(&mut self, newest: Sample) {
        if self.before.is_none_or(|(before, _)| before.at < newest.at) {
            self.close_at(newest);
        }
    }

    fn new_sample(&mut self, sample: Sample, late: bool) {
        if let Some((before, _)) = self.before.filter(|(before, _)| before.at == sample.at) {
            let same = before.value_milli == sample.value_milli;
            self.merged.fates.push(if same { Fate::Doubled } else { Fate::Contradicting });
            return;
        }
        if let Some((before, _)) = self.before {
            add_energy_between(self.meter, before, sample, 1, &mut self.merged.changes);
            self.merged.resets += usize::from(bridge(self.meter, before, sample) == Bridge::Reset);
        }
        self.merged.fates.push(if late { Fate::Late } else { Fate::Newest });
        if !late {
            self.merged.newest = Some(sample);
        }
        self.merged.samples.push(sample);
        self.before = Some((sample, true));
    }
}
