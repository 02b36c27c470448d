//! What meters measured: samples as they came, and the energy of quarter-hours that follows from them.

pub(crate) mod repository;
mod row;
pub mod sql;
mod update;

use std::sync::Arc;

use planner::metering::{Fate, QuarterHour, QuarterSum, Sample, ValueKind};

/// New samples of a node, rack or site by one meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSamples {
    /// The name of the node, rack or site; no other of the same batch has it.
    pub node: Arc<str>,
    /// In time order.
    pub samples: Vec<Sample>,
}

/// What became of new samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleFates {
    /// Of each node, of each of its samples.
    pub fates: Vec<Vec<Fate>>,
    /// How many samples came after a reset of their counter.
    pub resets: usize,
}

/// The newest sample of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestSample {
    /// The meter's name.
    pub meter: Arc<str>,
    /// What the meter's numbers are.
    pub values: ValueKind,
    /// The name of the node, rack or site.
    pub node: Arc<str>,
    /// The sample.
    pub sample: Sample,
    /// The sample before it, of meters of energy; `None` where there is none within hours, and of gauges.
    pub before: Option<Sample>,
}

/// The energy of a series by quarter-hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredQuarters {
    /// The meter's name.
    pub meter: Arc<str>,
    /// What the meter's numbers are.
    pub values: ValueKind,
    /// The name of the node, rack or site.
    pub node: Arc<str>,
    /// What was measured in each quarter-hour, in order; those in which nothing was are left out.
    pub quarters: Vec<(QuarterHour, QuarterSum)>,
}
