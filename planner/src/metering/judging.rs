//! Which samples are believed.

use super::{Meter, Sample, SampleTime, ValueKind};
use crate::resource_manager::CLOCKS_AGREE;
use crate::time::Timestamp;

/// Why a sample is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum SampleRefusal {
    /// The meter measures nodes, and none has this name.
    #[error("no node has this name")]
    UnknownNode,
    /// It was measured later than now, by more than clocks differ.
    #[error("it is later than now; set the clock of who sends it")]
    InFuture,
    /// Samples of its time are not kept any more.
    #[error(
        "it is older than samples are kept; raise keep_samples_days before older ones are sent"
    )]
    TooOld,
    /// Zero, which means missing.
    #[error("zero means missing for this meter")]
    ZeroIsMissing,
    /// Beyond what the meter can say.
    #[error("the value lies outside the meter's plausible range")]
    Implausible,
    /// Another value was kept for the same instant.
    #[error("another value was kept for the same instant; the first stays")]
    Contradicts,
}

impl SampleRefusal {
    /// The stable word for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownNode => "unknown_node",
            Self::InFuture => "in_future",
            Self::TooOld => "too_old",
            Self::ZeroIsMissing => "zero_is_missing",
            Self::Implausible => "implausible",
            Self::Contradicts => "contradicts",
        }
    }
}

/// Judges samples of a meter one by one.
#[derive(Clone, Copy, Debug)]
pub struct SampleJudge<'m> {
    meter: &'m Meter,
    /// Nothing earlier is kept any more.
    oldest: SampleTime,
    /// Nothing later was measured.
    latest: SampleTime,
}

impl<'m> SampleJudge<'m> {
    /// Judges at an instant, when samples from `oldest` on are kept.
    pub fn new(meter: &'m Meter, now: Timestamp, oldest: Timestamp) -> Self {
        Self { meter, oldest: SampleTime::of(oldest), latest: SampleTime::of(now + CLOCKS_AGREE) }
    }

    /// Whether a sample is believed by itself.
    ///
    /// # Errors
    /// Why it is not.
    pub fn judge(&self, sample: Sample) -> Result<(), SampleRefusal> {
        if sample.at > self.latest {
            return Err(SampleRefusal::InFuture);
        }
        if sample.at < self.oldest {
            return Err(SampleRefusal::TooOld);
        }
        if sample.value_milli == 0 && self.meter.zero_is_missing {
            return Err(SampleRefusal::ZeroIsMissing);
        }
        let plausible = match self.meter.values {
            ValueKind::Gauge => {
                let (least, most) = (self.meter.least, self.meter.most);
                let microwatts = i128::from(sample.value_milli) * 1000;
                (i128::from(least.as_microwatts())..=most.as_microwatts().into())
                    .contains(&microwatts)
            }
            ValueKind::Counter | ValueKind::Difference => sample.value_milli >= 0,
        };
        if plausible { Ok(()) } else { Err(SampleRefusal::Implausible) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MeterScope, MeterUnit};
    use super::*;
    use crate::quantity::Power;
    use crate::time::Seconds;

    fn judged(
        kind: ValueKind,
        zero_is_missing: bool,
        at_ms: i64,
        value_milli: i64,
    ) -> &'static str {
        let meter = Meter {
            name: "m".into(),
            covers: MeterScope::Node,
            values: kind,
            unit: Meter::pushed_unit(kind),
            period: Seconds::new(60),
            longest_gap: Seconds::new(150),
            zero_is_missing,
            least: Power::from_microwatts(1_000_000),
            most: Power::from_microwatts(2_000_000_000),
        };
        assert!(meter.unit == MeterUnit::Watt || kind != ValueKind::Gauge);
        let at = Timestamp::from_unix_seconds;
        let sample = Sample { at: SampleTime::from_unix_milliseconds(at_ms), value_milli };
        SampleJudge::new(&meter, at(1000), at(100))
            .judge(sample)
            .map_or_else(SampleRefusal::word, |()| "")
    }

    /// Now is 1000 s; clocks agree within 5 s: 1005.000 s is believed, 1005.001 s is not.
    #[test]
    fn a_sample_is_of_the_past_and_of_what_is_kept() {
        let gauge = |at_ms| judged(ValueKind::Gauge, false, at_ms, 400_000);
        assert_eq!([gauge(1_005_000), gauge(1_005_001)], ["", "in_future"]);
        assert_eq!([gauge(100_000), gauge(99_999)], ["", "too_old"]);
    }

    /// The meter says 1 to 2000 W: 1,000 to 2,000,000 mW.
    #[test]
    fn a_gauge_has_bounds_and_a_counter_is_not_negative() {
        let gauge = |value| judged(ValueKind::Gauge, false, 500_000, value);
        assert_eq!([gauge(999), gauge(1_000)], ["implausible", ""]);
        assert_eq!([gauge(2_000_000), gauge(2_000_001)], ["", "implausible"]);
        assert_eq!(gauge(i64::MAX), "implausible");
        let counter = |value| judged(ValueKind::Counter, false, 500_000, value);
        assert_eq!([counter(-1), counter(0), counter(i64::MAX)], ["implausible", "", ""]);
    }

    #[test]
    fn zero_means_missing_where_the_meter_says_so() {
        for kind in ValueKind::ALL {
            assert_eq!(judged(*kind, true, 500_000, 0), "zero_is_missing");
        }
        assert_eq!(judged(ValueKind::Difference, false, 500_000, 0), "");
    }
}
