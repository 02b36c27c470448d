//! Suppliers' instants: RFC 3339 and its relatives.

use planner::time::Timestamp;

/// Reads an instant with an offset, with or without seconds: `2025-09-30T22:00Z`,
/// `2024-03-06T19:00:00.000Z`, `2021-12-01T00:00:00+01:00`. Fractions of a second must be zero.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    let whole = instant.subsec_nanosecond() == 0;
    Some(Timestamp::from_unix_seconds(instant.as_second()))
        .filter(|at| whole && (Timestamp::MIN..=Timestamp::MAX).contains(at))
}

/// Reads the second of an instant, such as that of an update, whose fraction says nothing.
pub(crate) fn instant_to_second(text: &str) -> Option<Timestamp> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_unix_seconds(instant.as_second()))
        .filter(|at| (Timestamp::MIN..=Timestamp::MAX).contains(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_instants_without_seconds_and_with_zero_fractions() {
        let read = |text| instant(text).map(|at| at.to_string());
        assert_eq!(read("2025-09-30T22:00Z").unwrap(), "2025-09-30T22:00:00Z");
        assert_eq!(read("2024-03-06T19:00:00.000Z").unwrap(), "2024-03-06T19:00:00Z");
        assert_eq!(read("2021-12-01T00:00:00+01:00").unwrap(), "2021-11-30T23:00:00Z");
        for text in [
            "2025-09-30T22:00",
            "2025-09-30",
            "tomorrow",
            "2025-09-30T22:00:00.5Z",
            "1969-01-01T00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
