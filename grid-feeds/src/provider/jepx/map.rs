//! From files to an agenda.

use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Seconds, Span};
use rust_decimal::Decimal;

use super::SpotArea;
use super::wire::{Row, rows};
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, decimal, excerpt,
    nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::japanese::{HALF_HOUR, ZONE, date};

/// Half-hours of a day: the clock never changes.
const IN_A_DAY: i64 = 48;

/// The prices of some days of a file.
#[derive(Debug)]
pub struct SpotYear {
    readings: Vec<Reading>,
}

/// The fiscal year of a day, which begins in April.
pub(super) fn fiscal_year(day: Date) -> i16 {
    day.year() - i16::from(day.month() < 4)
}

/// Reads the file of a fiscal year: the prices of `area` from the first to the last of `days`.
///
/// # Errors
/// Another area, unit or year, words for numbers; what is no such file, or ends within a day.
pub fn read(
    text: &str,
    year: i16,
    area: SpotArea,
    (first, last): (Date, Date),
) -> Result<SpotYear, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let year = year.to_string();
    let (mut readings, mut latest) = (Vec::new(), None);
    for row in rows(text, area.column())? {
        let (day, code) = half_hour(&row)?;
        Identity { what: "fiscal year", asked: &year, setting: "`base_url`" }
            .named(&format!("line {}", row.line), Some(&fiscal_year(day).to_string()))?;
        latest = latest.max(Some((day, code)));
        if (first..=last).contains(&day) {
            let start = local.day_start(day).map_err(FeedError::calendar)?;
            let start = start + Seconds::new((code - 1) * HALF_HOUR.get());
            let value = price(&row)?;
            readings.extend(
                value.zip(Span::starting(start, HALF_HOUR)).map(|(value, span)| Reading {
                    span,
                    value,
                    quality: Quality::Measured,
                }),
            );
        }
    }
    if let Some((day, _)) = latest.filter(|(_, code)| *code < IN_A_DAY) {
        let message = format!("ends before the last half-hour of {day}: it is cut off");
        return Err(FeedError::payload("the file", message));
    }
    Ok(SpotYear { readings })
}

/// The day and number of a half-hour.
fn half_hour(row: &Row) -> Result<(Date, i64), FeedError> {
    let wrong = |text: &str, what: &str| {
        FeedError::payload(
            format!("line {}", row.line),
            format!("{:?} is no {what}", excerpt(text)),
        )
    };
    let day = date(&row.day).ok_or_else(|| wrong(&row.day, "date"))?;
    let digits = row.code.bytes().all(|byte| byte.is_ascii_digit());
    let code = row.code.parse().ok().filter(|code| digits && (1..=IN_A_DAY).contains(code));
    Ok((day, code.ok_or_else(|| wrong(&row.code, "half-hour of a day"))?))
}

/// Millionths of yen per MWh; `None` where there is no price.
fn price(row: &Row) -> Result<Option<i64>, FeedError> {
    if matches!(row.price.as_str(), "" | "-") {
        return Ok(None);
    }
    let per_kwh = decimal(&row.price).ok_or_else(|| {
        FeedError::payload(format!("line {}", row.line), "has a price that is not a number")
    })?;
    Ok(Some(nearest_millionths(per_kwh, Decimal::ONE_THOUSAND)))
}

/// The prices of some files.
///
/// # Errors
/// Where there are none; nothing but prices that cannot be.
pub fn prices(years: Vec<SpotYear>) -> Result<Series, FeedError> {
    let readings: Vec<Reading> = years.into_iter().flat_map(|year| year.readings).collect();
    if readings.is_empty() {
        return Err(FeedError::not_published("no prices"));
    }
    let kind = Kind::Price { currency: Currency::parse("JPY").map_err(FeedError::configuration)? };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}
