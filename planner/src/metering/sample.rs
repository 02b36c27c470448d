//! Samples: what a meter said at an instant.

use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::time::{Timestamp, TimestampError};

/// The instant of a sample: whole milliseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleTime(i64);

/// What a meter said at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was measured.
    pub at: SampleTime,
    /// Milliwatts of a gauge; millijoules of a counter or a difference.
    pub value_milli: i64,
}

impl SampleTime {
    /// The instant so many milliseconds after the Unix epoch.
    pub const fn from_unix_milliseconds(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// The first millisecond of a second.
    pub const fn of(instant: Timestamp) -> Self {
        Self(instant.as_unix_seconds() * 1000)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_unix_milliseconds(self) -> i64 {
        self.0
    }

    /// The second that it lies in.
    pub const fn second(self) -> Timestamp {
        Timestamp::from_unix_seconds(self.0.div_euclid(1000))
    }

    /// Reads an RFC 3339 time with any offset; what is finer than a millisecond is cut off.
    ///
    /// # Errors
    /// Refuses what is no such time, and years outside 1970 to 9999.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| TimestampError::Malformed)?;
        let instant = Self(time.timestamp_millis());
        let range = Timestamp::MIN..=Timestamp::MAX;
        range.contains(&instant.second()).then_some(instant).ok_or(TimestampError::OutOfRange)
    }
}

impl fmt::Display for SampleTime {
    /// RFC 3339 in UTC, with milliseconds where there are some.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::<Utc>::from_timestamp_millis(self.0) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
            None => write!(f, "{}ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fractions_and_offsets_to_the_millisecond() {
        let time = SampleTime::parse("2026-03-29T03:00:00.1239+02:00").unwrap();
        assert_eq!(time.to_string(), "2026-03-29T01:00:00.123Z");
        assert_eq!(time.second().to_string(), "2026-03-29T01:00:00Z");
        assert_eq!(SampleTime::of(time.second()).to_string(), "2026-03-29T01:00:00Z");
    }

    #[test]
    fn refuses_what_is_no_time_of_ours() {
        assert_eq!(SampleTime::parse("yesterday"), Err(TimestampError::Malformed));
        assert_eq!(SampleTime::parse("1969-12-31T23:59:59Z"), Err(TimestampError::OutOfRange));
    }
}
