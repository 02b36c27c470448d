//! From files to an agenda.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::wire::Report;
use crate::feed::{FeedError, Identity, Series, decimal};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly};

/// Eastern Standard Time, five hours behind UTC; the sign is that of POSIX.
pub(super) const ZONE: &str = "Etc/GMT+5";

/// What a file of these prices is called in its first line.
const TITLE: &str = "Day Ahead Market ExPost LMPs";

/// Reads the file of `day` and the prices of `node` in it.
///
/// # Errors
/// Another report, day, clock or node; what is no such file.
pub fn read(text: &str, day: Date, node: &str) -> Result<Report, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let report = Report::read(text, node)?;
    let is_of = |what, asked| Identity { what, asked, setting: "`base_url`" };
    is_of("report", TITLE).named("line 1", Some(&report.title))?;
    let said = report.day.map(|day| day.to_string());
    is_of("day", &day.to_string()).named("the lines above the columns", said.as_deref())?;
    if !report.is_eastern_standard {
        let message = "do not say that hours are those of Eastern Standard Time";
        return Err(FeedError::payload("the lines above the columns", message));
    }
    if report.rows.is_empty() {
        let asked = format!("node {node:?}");
        return Err(FeedError::mismatch("Node", asked, &report.others.join(", "), "`node`"));
    }
    Ok(report)
}

/// The prices of some days.
///
/// # Errors
/// Where there are none, and words for numbers.
pub fn prices(reports: &[Report]) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut readings = Vec::new();
    for report in reports {
        let Some(day) = report.day else { continue };
        for row in &report.rows {
            let mut start = local.day_start(day).map_err(FeedError::calendar)?;
            for (hour, written) in row.iter().enumerate() {
                if !written.is_empty() {
                    let place = || format!("HE {} of {day}", hour + 1);
                    let price = price(written)
                        .ok_or_else(|| FeedError::payload(place(), "is not a number"))?;
                    readings.extend(hourly(start, price));
                }
                start = start + HOUR;
            }
        }
    }
    dollars(readings, Vec::new())
}

/// Reads `21.5`, and `.6` and `-.37`, as values below one are written.
fn price(written: &str) -> Option<Decimal> {
    let (sign, rest) = written.strip_prefix('-').map_or(("", written), |rest| ("-", rest));
    let decimals = rest.strip_prefix('.').unwrap_or_default();
    if decimals.starts_with(|first: char| first.is_ascii_digit()) {
        return decimal(&format!("{sign}0{rest}"));
    }
    decimal(written)
}
