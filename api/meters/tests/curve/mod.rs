//! A curve of power that is known, what a meter of it would say, and how near the project's own integral of that comes.

use planner::metering::{
    KeptSamples, Meter, MeterScope, QuarterHour, QuarterSum, Sample, SampleTime, ValueKind, merge,
};
use planner::quantity::Power;
use planner::time::{Seconds, Timestamp};

/// The first second, at which a quarter-hour begins.
const START: i64 = 1_767_225_600;

/// Seconds: one period of the curve, and eight quarter-hours.
pub const LENGTH: i64 = 7200;

const MEAN_W: f64 = 500.0;
const SWING_W: f64 = 300.0;
/// Of the sine, in radians a second.
const FREQUENCY: f64 = std::f64::consts::TAU / LENGTH as f64;

/// The instant so many seconds after the first.
pub fn instant(second: i64) -> SampleTime {
    SampleTime::of(Timestamp::from_unix_seconds(START + second))
}

/// The power: 500 W, and a sine of 300 W about it.
pub fn watts(second: i64) -> f64 {
    MEAN_W + SWING_W * (FREQUENCY * second as f64).sin()
}

/// The energy since the first second: the integral of [`watts`].
pub fn joules(second: i64) -> f64 {
    let swing = SWING_W / FREQUENCY * (1.0 - (FREQUENCY * second as f64).cos());
    MEAN_W * second as f64 + swing
}

/// How far off trapezia over samples that are so many seconds apart may be, in watts on average: `max|P''| h^2 / 12`.
pub fn trapezia_bound(period: i64) -> f64 {
    SWING_W * FREQUENCY.powi(2) * (period as f64).powi(2) / 12.0
}

/// A meter with what it measured so far, as the service keeps it.
pub struct Measured {
    meter: Meter,
    kept: KeptSamples,
    quarters: Vec<(QuarterHour, QuarterSum)>,
}

impl Measured {
    /// A meter that is asked so often, with the gap that settings have unless they say another: 2.5 periods.
    pub fn new(values: ValueKind, period: i64) -> Self {
        let meter = Meter {
            name: "controllers".into(),
            covers: MeterScope::Node,
            values,
            unit: Meter::pushed_unit(values),
            period: Seconds::new(period),
            longest_gap: Seconds::new(period * 5 / 2),
            zero_is_missing: values == ValueKind::Gauge,
            least: Power::ZERO,
            most: Power::from_microwatts(100_000 * 1_000_000),
        };
        Self { meter, kept: KeptSamples::default(), quarters: Vec::new() }
    }

    /// Takes what one question was answered with.
    pub fn take(&mut self, samples: &[Sample]) {
        let merged = merge(&self.meter, &self.kept, samples);
        assert_eq!(merged.resets, 0);
        self.kept = KeptSamples { samples: merged.samples, newest: merged.newest };
        self.quarters.extend(merged.changes);
    }

    /// Fails unless just these stretches were measured, each quarter-hour's energy and the whole within a bound, in
    /// joules by the first and last second of a stretch.
    pub fn check(&self, stretches: &[(i64, i64)], bound: impl Fn(i64, i64) -> f64) {
        let quarters = (0..LENGTH).step_by(900).map(|from| (from, from + 900));
        for (from, to) in quarters.chain([(0, LENGTH)]) {
            let inside: Vec<(i64, i64)> = stretches
                .iter()
                .map(|stretch| (from.max(stretch.0), to.min(stretch.1)))
                .filter(|(from, to)| from < to)
                .collect();
            let mut sum = QuarterSum::default();
            for (quarter, change) in &self.quarters {
                if (from..to).contains(&(quarter.start().as_unix_seconds() - START)) {
                    sum.add(*change);
                }
            }
            let seconds: i64 = inside.iter().map(|(from, to)| to - from).sum();
            assert_eq!(sum.covered_ms, seconds * 1000, "from {from} to {to}");
            let truth: f64 = inside.iter().map(|(from, to)| joules(*to) - joules(*from)).sum();
            let bound: f64 = inside.iter().map(|(from, to)| bound(*from, *to)).sum();
            let error = sum.energy_uj as f64 / 1e6 - truth;
            assert!(error.abs() <= bound, "from {from} to {to}: {error} J, and {bound} J may be");
        }
    }
}
