//! Times as the SDK's clients write them, and as it answers them.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use planner::time::Timestamp;
use serde::Serializer;

/// Reads RFC 3339, the same without an offset (then UTC) and a date alone; a fraction of a second is
/// dropped.
pub fn parse(text: &str) -> Option<Timestamp> {
    let seconds = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%#z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%#z"))
        .map(|time| time.timestamp())
        .or_else(|_| without_offset(text).map(|time| time.and_utc().timestamp()))
        .ok()?;
    Some(Timestamp::from_unix_seconds(seconds))
        .filter(|time| (Timestamp::MIN..=Timestamp::MAX).contains(time))
}

fn without_offset(text: &str) -> chrono::ParseResult<NaiveDateTime> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f")
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M"))
        .or_else(|_| {
            NaiveDate::parse_from_str(text, "%Y-%m-%d")
                .map(|day| day.and_time(chrono::NaiveTime::MIN))
        })
}

/// Reads a time in a body, where months and days have two digits.
pub fn parse_strictly(text: &str) -> Option<Timestamp> {
    let digits = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    parse(text).filter(|_| digits(0, 4) && digits(5, 7) && digits(8, 10))
}

/// An instant as the SDK writes it: `2026-03-01T00:00:00+00:00`.
pub fn format(time: Timestamp) -> String {
    time.to_string().replace('Z', "+00:00")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub fn serialize<S: Serializer>(time: &Timestamp, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&format(*time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        parse(text).map(format)
    }

    #[test]
    fn times_with_and_without_offset_fraction_and_time_of_day_are_read() {
        for (text, time) in [
            ("2022-01-01T04:05:06Z", "2022-01-01T04:05:06+00:00"),
            ("2022-01-01T04:05:06.0000000+06:00", "2021-12-31T22:05:06+00:00"),
            ("2022-01-01T04:05:06.9", "2022-01-01T04:05:06+00:00"),
            ("2022-1-1T04:05:06Z", "2022-01-01T04:05:06+00:00"),
            ("2022-01-01T04:05", "2022-01-01T04:05:00+00:00"),
            ("2022-01-01T04:05+01:00", "2022-01-01T03:05:00+00:00"),
            ("2022-05-17", "2022-05-17T00:00:00+00:00"),
        ] {
            assert_eq!(read(text).as_deref(), Some(time), "{text}");
        }
        for text in ["", "now", "2022-13-01", "2022-01-01T25:00:00Z", "0001-01-01T00:00:00Z"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn bodies_have_two_digits_for_months_and_days() {
        assert!(parse_strictly("2021-09-01T08:30:00Z").is_some());
        assert_eq!(parse_strictly("2021-9-1T08:30:00Z"), None);
    }
}
