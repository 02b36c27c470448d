//! Instants, durations and half-open spans, in whole seconds of UTC.

use std::fmt;
use std::ops::{Add, Sub};

use chrono::{DateTime, SecondsFormat, Utc};

/// An instant: whole seconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A length of time in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seconds(i64);

/// A half-open, non-empty span of time `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: Timestamp,
    end: Timestamp,
}

/// Why a text is not an instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimestampError {
    /// Not RFC 3339.
    #[error("is not an RFC 3339 time such as 2026-01-01T00:00:00Z")]
    Malformed,
    /// Has a fraction of a second.
    #[error("has a fraction of a second; times are whole seconds")]
    Fraction,
    /// Outside the years 1970 to 9999.
    #[error("is outside the years 1970 to 9999")]
    OutOfRange,
}

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const MIN: Self = Self(0);
    /// 9999-12-31T23:59:59Z, the last instant RFC 3339 can write.
    pub const MAX: Self = Self(253_402_300_799);

    /// The instant `seconds` after the Unix epoch.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Seconds since the Unix epoch.
    pub const fn as_unix_seconds(self) -> i64 {
        self.0
    }

    /// Reads an RFC 3339 time with any offset.
    ///
    /// # Errors
    /// Refuses fractions of a second and years outside 1970 to 9999.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| TimestampError::Malformed)?;
        if time.timestamp_subsec_nanos() != 0 {
            return Err(TimestampError::Fraction);
        }
        let instant = Self(time.timestamp());
        if instant < Self::MIN || instant > Self::MAX {
            return Err(TimestampError::OutOfRange);
        }
        Ok(instant)
    }

    /// The first multiple of `step` since the epoch at or after this instant.
    #[must_use]
    pub fn ceil_to(self, step: Seconds) -> Self {
        let remainder = self.0.rem_euclid(step.0);
        if remainder == 0 { self } else { Self(self.0 - remainder + step.0) }
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC, to the second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::<Utc>::from_timestamp(self.0, 0) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true)),
            None => write!(f, "{}s", self.0),
        }
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Seconds {
    /// One second.
    pub const ONE: Self = Self(1);

    /// A length of `seconds`.
    pub const fn new(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The number of seconds.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl Span {
    /// `[start, end)`, or `None` where it would be empty or reversed.
    pub fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        (start < end).then_some(Self { start, end })
    }

    /// The span of `length` from `start`; `None` unless `length` is positive.
    pub fn starting(start: Timestamp, length: Seconds) -> Option<Self> {
        Self::new(start, start + length)
    }

    /// The first instant inside.
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// The first instant after.
    pub const fn end(self) -> Timestamp {
        self.end
    }

    /// `end - start`, always positive.
    pub fn length(self) -> Seconds {
        self.end - self.start
    }

    /// Whether the two share an instant; spans that touch do not.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether `instant` lies in `[start, end)`.
    pub fn contains(self, instant: Timestamp) -> bool {
        self.start <= instant && instant < self.end
    }

    /// The instants both have.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

impl Add<Seconds> for Timestamp {
    type Output = Self;
    fn add(self, length: Seconds) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl Sub<Seconds> for Timestamp {
    type Output = Self;
    fn sub(self, length: Seconds) -> Self {
        Self(self.0.saturating_sub(length.0))
    }
}

impl Sub for Timestamp {
    type Output = Seconds;
    fn sub(self, earlier: Self) -> Seconds {
        Seconds(self.0 - earlier.0)
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_offsets_and_writes_utc() {
        let time = Timestamp::parse("2026-03-29T03:00:00+02:00").unwrap();
        assert_eq!(time.to_string(), "2026-03-29T01:00:00Z");
    }

    #[test]
    fn refuses_fractions_and_nonsense() {
        assert_eq!(Timestamp::parse("2026-01-01T00:00:00.5Z"), Err(TimestampError::Fraction));
        assert_eq!(Timestamp::parse("2026-01-01"), Err(TimestampError::Malformed));
        assert_eq!(Timestamp::parse("1969-12-31T23:59:59Z"), Err(TimestampError::OutOfRange));
    }

    #[test]
    fn slots_lie_on_multiples_of_the_step_since_the_epoch() {
        let step = Seconds::new(900);
        assert_eq!(Timestamp(900).ceil_to(step), Timestamp(900));
        assert_eq!(Timestamp(901).ceil_to(step), Timestamp(1800));
    }

    #[test]
    fn touching_spans_do_not_overlap() {
        let span = |a, b| Span::new(Timestamp(a), Timestamp(b)).unwrap();
        assert!(!span(0, 10).overlaps(span(10, 20)));
        assert!(span(0, 11).overlaps(span(10, 20)));
        assert_eq!(Span::new(Timestamp(5), Timestamp(5)), None);
    }
}
