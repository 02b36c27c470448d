//! Measured power and energy: what meters are, how their samples are judged, and the energy of quarter-hours.
//!
//! A *meter* is one way of measuring, such as the power that management controllers tell, and has a *series* of
//! samples for each node, rack or site that it measures. From neighbouring samples of a series follows the energy
//! between them:
//!
//! - of a gauge of power by the trapezium rule;
//! - of a counter of energy by the difference, and of differences by the later sample, drawn evenly.
//!
//! Nothing is integrated between samples that are further apart than the meter's longest gap, nor across a counter
//! that was reset: that time is missing. So the energy of a series is a sum over pairs of neighbours, which does not
//! depend on the order in which samples came, nor on how they were sent.
//!
//! Everything that is kept is a whole number: milliseconds, milliwatts, millijoules, and microjoules of energy, which
//! are milliwatts times milliseconds.

mod energy;
mod excess;
mod judging;
mod merging;
mod meter;
pub mod packed;
mod sample;
#[cfg(test)]
mod tests;

pub use energy::{
    Bridge, QUARTER_MS, QuarterHour, QuarterSum, add_energy_between, bridge, integrate,
    newest_power,
};
pub use excess::{Excess, ExcessNews, ExcessRule};
pub use judging::{SampleJudge, SampleRefusal};
pub use merging::{Fate, KeptSamples, Merged, merge};
pub use meter::{LARGEST_POWER, LONGEST_GAP, Meter, MeterError, MeterScope, MeterUnit, ValueKind};
pub use sample::{Sample, SampleTime};
