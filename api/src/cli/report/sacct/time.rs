//! When jobs were submitted, as sacct prints it.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::time::Timestamp;

use crate::cli::booking::time::at;

/// An instant as `SLURM_TIME_FORMAT` may have it: `2026-03-01T12:00:00` in `zone`, the same with an offset, or seconds
/// since 1970 (`%s`).
///
/// # Errors
/// Says what there is, or which of two instants is to be said.
pub fn submitted(text: &str, zone: &TimeZone) -> Result<Timestamp, String> {
    let seconds = if !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()) {
        text.parse().ok()
    } else if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        Some(instant.as_second())
    } else if let Ok(local) = text.parse::<DateTime>() {
        Some(at(local, zone)?.timestamp().as_second())
    } else {
        None
    };
    seconds.map(Timestamp::from_unix_seconds).ok_or_else(|| {
        format!(
            "{text:?} is not an instant such as 2026-03-01T12:00:00, 2026-03-01T12:00:00+01:00 or 1772366400 \
             (SLURM_TIME_FORMAT=%s)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12:00 in Paris in winter is 11:00 in UTC, 1772362800 s after 1970.
    #[test]
    fn instants_are_read_as_sacct_prints_them() {
        let paris = TimeZone::get("Europe/Paris").unwrap();
        let noon = Timestamp::from_unix_seconds(1_772_362_800);
        for text in [
            "2026-03-01T12:00:00",
            "2026-03-01T12:00:00+01:00",
            "2026-03-01T12:00:00+0100",
            "2026-03-01T11:00:00Z",
            "1772362800",
        ] {
            assert_eq!(submitted(text, &paris), Ok(noon), "{text}");
        }
        assert_eq!(submitted("2026-03-01T11:00:00", &TimeZone::UTC), Ok(noon));
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        let paris = TimeZone::get("Europe/Paris").unwrap();
        for text in ["", "Unknown", "12:00", "99999999999999999999"] {
            assert!(submitted(text, &paris).unwrap_err().contains("%s"), "{text}");
        }
        assert!(submitted("2026-10-25T02:30:00", &paris).unwrap_err().contains("comes twice"));
    }
}
