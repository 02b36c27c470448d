//! From files to an agenda.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use planner::time::Timestamp;

use super::wire::{Report, Row};
use crate::feed::{FeedError, Identity, Series, decimal};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly, month_day_year};

/// Days are days of this zone.
pub(super) const ZONE: &str = "America/Chicago";

/// Reads the file of `day` and the prices of `location` in the balancing area `area`.
///
/// # Errors
/// Another location, area or day; what is no such file.
pub fn read(text: &str, day: Date, (location, area): (&str, &str)) -> Result<Report, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let report = Report::read(text, location, area)?;
    if report.rows.is_empty() {
        let asked = format!("settlement location {location:?} in {area:?}");
        let others = report.others.join(", ");
        return Err(FeedError::mismatch(
            "Settlement Location",
            asked,
            &others,
            "`location`, `area`",
        ));
    }
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let day = day.to_string();
    for row in &report.rows {
        let place = format!("line {}", row.line);
        let start = start(row).ok_or_else(|| {
            FeedError::payload(&place, format!("{:?} is not the end of an hour", row.end))
        })?;
        let said = local.date(start).map_err(FeedError::calendar)?.to_string();
        Identity { what: "day", asked: &day, setting: "`base_url`" }.named(&place, Some(&said))?;
    }
    Ok(report)
}

/// The prices of some days.
///
/// # Errors
/// Where there are none, and words for numbers.
pub fn prices(reports: &[Report]) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    for row in reports.iter().flat_map(|report| &report.rows) {
        let Some(start) = start(row).filter(|_| !row.price.is_empty()) else { continue };
        let price = decimal(&row.price).ok_or_else(|| {
            FeedError::payload(format!("line {}", row.line), "has a price that is not a number")
        })?;
        readings.extend(hourly(start, price));
    }
    dollars(readings, Vec::new())
}

/// The start of the hour that ends in UTC at `09/23/2026 06:00:00`, or `4/1/2026 6:00` as on some days.
fn start(row: &Row) -> Option<Timestamp> {
    let (date, time) = row.end.split_once(' ')?;
    let hour = time.strip_suffix(":00:00").or_else(|| time.strip_suffix(":00"))?;
    let whole = matches!(hour.len(), 1 | 2) && hour.bytes().all(|byte| byte.is_ascii_digit());
    let hour: i8 = hour.parse().ok().filter(|hour| whole && *hour < 24)?;
    let end = month_day_year(date)?.at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
    Some(Timestamp::from_unix_seconds(end.timestamp().as_second()) - HOUR)
}
