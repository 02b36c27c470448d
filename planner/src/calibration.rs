//! Calibration: from power samples to the idle and maximum power of each node.
//!
//! Per node and load, the samples are first rid of outliers, then
//!
//! - **idle power is the median** of the kept samples: it is an expectation;
//! - **maximum power is the largest** of the kept samples: the cap is compared with the sum of
//!   maximum powers and may never be exceeded, so the maximum has to bound, not to describe.
//!
//! Outliers are those of the Hampel identifier (see `robust.rs`), so the order of samples never matters.
//! Cost: `O(samples log samples)`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::quantity::Power;
use crate::robust::{Tolerance, median, spread};
use crate::time::Timestamp;

/// What a node was doing while its power was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Load {
    /// Nothing but the operating system.
    Idle,
    /// Full load: as much work as the node can do.
    Max,
}

/// One reading of one node's power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerSample {
    /// The node's name.
    pub node: Arc<str>,
    /// The instant of the measurement.
    pub measured_at: Timestamp,
    /// What the node was doing then.
    pub load: Load,
    /// The power that was measured.
    pub power: Power,
}

/// A power with where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The power that the samples show.
    pub power: Power,
    /// Sample standard deviation of the kept samples; zero for a single one.
    pub spread: Power,
    /// How many samples were kept.
    pub samples: usize,
    /// How many were rejected.
    pub outliers: usize,
    /// When the first kept sample was taken.
    pub first: Timestamp,
    /// When the last kept sample was taken.
    pub last: Timestamp,
}

/// The calibrated powers of one node, `idle.power <= max.power`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCalibration {
    /// The node's name.
    pub node: Arc<str>,
    /// Power while running nothing but the operating system.
    pub idle: Measured,
    /// The most power the node draws.
    pub max: Measured,
}

/// Why a node cannot be calibrated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// No idle samples.
    #[error("node {node:?} has no idle samples")]
    NoIdle {
        /// The node's name.
        node: Arc<str>,
    },
    /// No samples at full load.
    #[error("node {node:?} has no max samples")]
    NoMax {
        /// The node's name.
        node: Arc<str>,
    },
    /// More power doing nothing than doing everything.
    #[error("node {node:?} draws {idle} idle, more than its maximum of {max}")]
    IdleAboveMax {
        /// The node's name.
        node: Arc<str>,
        /// Its idle power.
        idle: Power,
        /// Its maximum power.
        max: Power,
    },
}

/// Calibrates every node that has samples, in the order of the names; no samples, no nodes.
///
/// # Errors
/// Every node that lacks idle or max samples, or whose idle exceeds its max, in the same order.
pub fn calibrate(samples: &[PowerSample]) -> Result<Vec<NodeCalibration>, Vec<CalibrationError>> {
    let mut by_node: BTreeMap<&Arc<str>, [Vec<&PowerSample>; 2]> = BTreeMap::new();
    for sample in samples {
        let [idle, max] = by_node.entry(&sample.node).or_default();
        match sample.load {
            Load::Idle => idle.push(sample),
            Load::Max => max.push(sample),
        }
    }
    let mut calibrations = Vec::with_capacity(by_node.len());
    let mut errors = Vec::new();
    for (node, [idle, max]) in by_node {
        match calibrate_node(node, idle, max) {
            Ok(calibration) => calibrations.push(calibration),
            Err(of_node) => errors.extend(of_node),
        }
    }
    if errors.is_empty() { Ok(calibrations) } else { Err(errors) }
}

fn calibrate_node(
    node: &Arc<str>,
    idle: Vec<&PowerSample>,
    max: Vec<&PowerSample>,
) -> Result<NodeCalibration, Vec<CalibrationError>> {
    let node = || Arc::clone(node);
    let idle = measure(idle, median).ok_or_else(|| CalibrationError::NoIdle { node: node() });
    let max = measure(max, largest).ok_or_else(|| CalibrationError::NoMax { node: node() });
    match (idle, max) {
        (Ok(idle), Ok(max)) if idle.power > max.power => {
            let (idle, max) = (idle.power, max.power);
            Err(vec![CalibrationError::IdleAboveMax { node: node(), idle, max }])
        }
        (Ok(idle), Ok(max)) => Ok(NodeCalibration { node: node(), idle, max }),
        (idle, max) => Err([idle.err(), max.err()].into_iter().flatten().collect()),
    }
}

/// Rejects outliers and sums up the rest; `None` without samples.
fn measure(
    mut samples: Vec<&PowerSample>,
    result: impl FnOnce(&[Power]) -> Option<Power>,
) -> Option<Measured> {
    samples.sort_unstable_by_key(|sample| (sample.power, sample.measured_at));
    let all: Vec<Power> = samples.iter().map(|sample| sample.power).collect();
    let tolerance = Tolerance::around(&all)?;
    let kept: Vec<&PowerSample> =
        samples.into_iter().filter(|sample| tolerance.accepts(sample.power)).collect();
    let powers: Vec<Power> = kept.iter().map(|sample| sample.power).collect();
    Some(Measured {
        power: result(&powers)?,
        spread: spread(&powers),
        samples: kept.len(),
        outliers: all.len() - kept.len(),
        first: kept.iter().map(|sample| sample.measured_at).min()?,
        last: kept.iter().map(|sample| sample.measured_at).max()?,
    })
}

fn largest(sorted: &[Power]) -> Option<Power> {
    sorted.last().copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MICROWATTS: i64 = 1_000_000;

    fn samples(load: Load, watts: &[f64]) -> Vec<PowerSample> {
        let microwatts: Vec<i64> =
            watts.iter().map(|&watts| Power::from_watts(watts).unwrap().as_microwatts()).collect();
        of_microwatts(load, &microwatts)
    }

    fn of_microwatts(load: Load, microwatts: &[i64]) -> Vec<PowerSample> {
        let sample = |(second, &power)| PowerSample {
            node: "n1".into(),
            measured_at: Timestamp::from_unix_seconds(second),
            load,
            power: Power::from_microwatts(power),
        };
        (0..).zip(microwatts).map(sample).collect()
    }

    fn measured(watts: &[f64], load: Load) -> Measured {
        let mut all = samples(load, watts);
        // The other load does not matter here: 0 W idle, 1 MW at most.
        let (other, power) =
            if load == Load::Idle { (Load::Max, 1_000_000.0) } else { (Load::Idle, 0.0) };
        all.extend(samples(other, &[power]));
        let [node] = <[NodeCalibration; 1]>::try_from(calibrate(&all).unwrap()).unwrap();
        if load == Load::Idle { node.idle } else { node.max }
    }

    /// The median of 94, 95, 95, 96, 97, 400 is (95 + 96) / 2 = 95.5; the deviations from it are
    /// 1.5, 0.5, 0.5, 0.5, 1.5, 304.5 with the median (0.5 + 1.5) / 2 = 1. The scale is 1.4826, more
    /// than 1 % of 95.5; three scales are 4.4478, so that 91.0522..=99.9478 stays and 400 goes.
    /// The rest has the median 95, the mean 477 / 5 = 95.4 and the squares 1.96 + 0.16 + 0.16 +
    /// 0.36 + 2.56 = 5.2: the spread is sqrt(5.2 / 4) = 1.140175.
    #[test]
    fn idle_power_is_the_median_of_what_the_hampel_identifier_keeps() {
        let idle = measured(&[400.0, 96.0, 95.0, 97.0, 94.0, 95.0], Load::Idle);
        assert_eq!(idle.power, Power::from_watts(95.0).unwrap());
        assert_eq!(idle.spread, Power::from_microwatts(1_140_175));
        assert_eq!((idle.samples, idle.outliers), (5, 1));
        assert_eq!(idle.first, Timestamp::from_unix_seconds(1));
        assert_eq!(idle.last, Timestamp::from_unix_seconds(5));
    }

    /// Four of seven readings are 190: the MAD is 0, the floor 1 % of 190 = 1.9 and three of it
    /// 5.7, so that 195 (5 away) stays and bounds, and the spike of 4000 goes.
    #[test]
    fn maximum_power_is_the_largest_kept_sample_even_where_most_readings_are_the_same() {
        let max = measured(&[190.0, 190.0, 195.0, 190.0, 4000.0, 193.0, 190.0], Load::Max);
        assert_eq!(max.power, Power::from_watts(195.0).unwrap());
        assert_eq!((max.samples, max.outliers), (6, 1));
    }

    /// Below five samples nothing tells the outlier: (95 + 96) / 2 = 95.5. Around a median of 0 W
    /// there is no scale: the maximum stays 200.
    #[test]
    fn nothing_is_rejected_where_there_is_too_little_to_judge_by() {
        let idle = measured(&[95.0, 400.0, 96.0, 95.0], Load::Idle);
        assert_eq!(idle.power, Power::from_watts(95.5).unwrap());
        assert_eq!(idle.outliers, 0);
        let max = measured(&[0.0, 0.0, 0.0, 200.0, 0.0], Load::Max);
        assert_eq!((max.power, max.outliers), (Power::from_watts(200.0).unwrap(), 0));
        assert_eq!(measured(&[95.0], Load::Idle).spread, Power::ZERO);
    }

    #[test]
    fn lists_every_node_that_cannot_be_calibrated() {
        let mut all = Vec::new();
        for (name, load, watts) in [
            ("c", Load::Max, 100.0),
            ("a", Load::Idle, 90.0),
            ("b", Load::Idle, 101.0),
            ("b", Load::Max, 100.0),
            ("d", Load::Idle, 90.0),
            ("d", Load::Max, 90.0),
        ] {
            let sample = samples(load, &[watts]).remove(0);
            all.push(PowerSample { node: name.into(), ..sample });
        }
        let errors: Vec<String> =
            calibrate(&all).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "node \"a\" has no max samples",
                "node \"b\" draws 101 W idle, more than its maximum of 100 W",
                "node \"c\" has no idle samples",
            ]
        );
        assert_eq!(calibrate(&[]), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn the_order_of_samples_does_not_matter(
            (sorted, shuffled) in prop::collection::vec((0..300 * MICROWATTS, any::<bool>()), 1..30)
                .prop_map(|powers| {
                    let mut all = Vec::new();
                    for (second, (power, idle)) in (0..).zip(powers) {
                        let load = if idle { Load::Idle } else { Load::Max };
                        let mut sample = of_microwatts(load, &[power]).remove(0);
                        sample.measured_at = Timestamp::from_unix_seconds(second / 3);
                        all.push(sample);
                    }
                    all
                })
                .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
        ) {
            prop_assert_eq!(calibrate(&sorted), calibrate(&shuffled));
        }

        #[test]
        fn results_lie_within_the_samples(powers in prop::collection::vec(0..300 * MICROWATTS, 1..30)) {
            let mut all = of_microwatts(Load::Idle, &powers);
            all.extend(of_microwatts(Load::Max, &powers));
            all.extend(of_microwatts(Load::Max, &[300 * MICROWATTS; 30]));
            let low = Power::from_microwatts(powers.iter().copied().min().unwrap());
            let high = Power::from_microwatts(powers.iter().copied().max().unwrap());
            let node = calibrate(&all).unwrap().remove(0);
            prop_assert!(low <= node.idle.power && node.idle.power <= high);
            prop_assert_eq!(node.max.power, Power::from_microwatts(300 * MICROWATTS));
            prop_assert_eq!(node.idle.samples + node.idle.outliers, powers.len());
            prop_assert!(2 * node.idle.samples >= powers.len(), "the median's half always stays");
        }

        /// Noise of 1 % around the level lies within 2 % of any median of it, hence inside the floor's
        /// 3 %; it makes a MAD of at most 2 %, hence a reach below 9 %: half as much again is out.
        #[test]
        fn one_wild_sample_among_ten_clean_ones_moves_idle_by_no_more_than_their_spread(
            level in 50 * MICROWATTS..300 * MICROWATTS,
            noise in prop::collection::vec(-1000..=1000_i64, 10..30),
            wild in prop_oneof![0..50_i64, 150..100_000_i64],
        ) {
            let mut powers: Vec<i64> = noise.iter().map(|n| level + level * n / 100_000).collect();
            let clean = calibrated_idle(&powers);
            powers.push(level * wild / 100);
            let with_wild = calibrated_idle(&powers);
            prop_assert_eq!((clean.outliers, with_wild.outliers), (0, 1));
            let moved = (with_wild.power - clean.power).max(clean.power - with_wild.power);
            prop_assert!(moved <= clean.spread);
        }
    }

    fn calibrated_idle(microwatts: &[i64]) -> Measured {
        let mut all = of_microwatts(Load::Idle, microwatts);
        all.extend(of_microwatts(Load::Max, &[1_000_000 * MICROWATTS]));
        calibrate(&all).unwrap().remove(0).idle
    }
}
