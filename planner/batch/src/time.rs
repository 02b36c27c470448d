//! Simulated time: whole microseconds, so that what happens at the same instant is the same number.

use std::fmt;
use std::num::TryFromIntError;
use std::ops::{Add, Sub};
use std::time::Duration;

/// An instant since the workload's origin, or a length of time: microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The origin; no time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any job lasts, and small enough to be added to any instant.
    pub const FOREVER: Self = Self(i64::MAX / 4);
    /// The last instant that there is; sums that would be later are it.
    pub const LAST: Self = Self(i64::MAX);
    /// The largest instant or length that workloads may have: 10 million years would be less.
    const LARGEST_S: f64 = 1e12;

    /// Time of whole microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Time of whole seconds, at most 10^12 of them.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    /// The nearest microsecond; `None` for what is no finite number or beyond 10^12 s.
    #[expect(clippy::cast_possible_truncation, reason = "within 10^18")]
    pub fn from_seconds_f64(seconds: f64) -> Option<Self> {
        (seconds.abs() <= Self::LARGEST_S).then(|| Self((seconds * 1e6).round() as i64))
    }

    /// Reads seconds, to the nearest microsecond; `None` for what is no number, or beyond 10^12 s.
    pub fn parse_seconds(text: &str) -> Option<Self> {
        text.parse().ok().and_then(Self::from_seconds_f64)
    }

    /// The first whole second from it on.
    #[must_use]
    pub const fn ceil(self) -> Self {
        let past = self.0.rem_euclid(1_000_000);
        if past == 0 { self } else { Self(self.0 - past + 1_000_000) }
    }

    /// The time in whole microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The time in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// To the microsecond; longer than can be simulated is [`Time::FOREVER`].
impl From<Duration> for Time {
    fn from(duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(micros).min(Self::FOREVER)
    }
}

/// Fails for times below zero.
impl TryFrom<Time> for Duration {
    type Error = TryFromIntError;
    fn try_from(time: Time) -> Result<Self, TryFromIntError> {
        time.0.try_into().map(Self::from_micros)
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Seconds with six decimals, exact.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let micros = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read() {
        for (text, micros) in [("10", 10_000_000), ("-1.5", -1_500_000), ("1e-6", 1)] {
            assert_eq!(Time::parse_seconds(text), Some(Time::from_micros(micros)));
        }
        for text in ["", "10 s", "nan", "inf", "1e13"] {
            assert_eq!(Time::parse_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn is_written_in_seconds_with_six_decimals() {
        assert_eq!(Time::from_seconds_f64(61.416_716).unwrap().to_string(), "61.416716");
        assert_eq!(Time::from_micros(-1_500_000).to_string(), "-1.500000");
        assert_eq!(Time::from_seconds_f64(f64::NAN), None);
    }
}
