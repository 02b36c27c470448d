//! From files of local days to an agenda.
//!
//! Stamps have no offset. The hour that comes twice in autumn is there twice, the summer's first, in a
//! file whose hours are in order; in another one it is a gap.

use std::collections::BTreeSet;

use csv::{ReaderBuilder, Trim};
use jiff::civil::{Date, DateTime};
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Row;
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, decimal, excerpt,
    nearest_millionths,
};
use crate::local_time::LocalTime;

/// Days of the market are days of this zone.
pub(super) const ZONE: &str = "America/New_York";

const HOUR: Seconds = Seconds::new(3600);

/// The column of prices, which names their unit.
const PRICE: &str = "LBMP ($/MWHr)";

/// An hour as the clock shows it, and its price in millionths if there is one.
type LocalPrice = (DateTime, Option<i64>);

/// The prices of one file.
#[derive(Debug)]
pub struct MarketDay {
    readings: Vec<Reading>,
    /// What was left out, in words.
    notes: Vec<String>,
}

/// Reads the file of `day`: the prices of `zone`.
///
/// # Errors
/// What is no such table, ends too early, or is of another day, unit or zone; hours that the day does
/// not have; words for numbers.
pub fn read(text: &str, day: Date, zone: &str) -> Result<MarketDay, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let hours = hours(text, day, zone)?;
    let last = day.at(23, 0, 0, 0);
    if !hours.iter().any(|&(hour, _)| hour == last) {
        return Err(FeedError::payload("the table", format!("ends before {last}: it is cut off")));
    }
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    instants(&hours, &local)
}

/// The rows of `zone` in the order of the file.
fn hours(text: &str, day: Date, zone: &str) -> Result<Vec<LocalPrice>, FeedError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new().trim(Trim::Headers).from_reader(text.as_bytes());
    let table = |error: csv::Error| FeedError::payload("the table", error);
    let header = reader.headers().map_err(table)?;
    let price = header.iter().find(|column| column.starts_with("LBMP"));
    is_of("unit", PRICE, "`base_url`").named("the header", price)?;
    let (mut hours, mut names, mut points) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (index, row) in reader.deserialize().enumerate() {
        let row: Row = row.map_err(table)?;
        if row.name.trim().eq_ignore_ascii_case(zone) {
            hours.push(hour(&row, day, index + 2)?);
            points.insert(row.point);
        } else {
            names.insert(row.name);
        }
    }
    if hours.is_empty() {
        let came = Vec::from_iter(names).join(", ");
        return Err(FeedError::mismatch("Name", format!("zone {zone:?}"), &came, "`zone`"));
    }
    if points.len() > 1 {
        let message = format!("zone {zone:?} has more than one PTID: {points:?}");
        return Err(FeedError::payload("PTID", excerpt(&message)));
    }
    Ok(hours)
}

fn is_of<'a>(what: &'static str, asked: &'a str, setting: &'static str) -> Identity<'a> {
    Identity { what, asked, setting }
}

/// The hour of a row of `day`; an empty price is a missing one.
fn hour(row: &Row, day: Date, line: usize) -> Result<LocalPrice, FeedError> {
    let wrong = |column: &str, message: String| {
        FeedError::payload(format!("line {line}, {column}"), message)
    };
    let stamp = DateTime::strptime("%m/%d/%Y %H:%M", &row.time_stamp);
    let stamp = stamp.ok().filter(|stamp| stamp.minute() == 0).ok_or_else(|| {
        wrong("Time Stamp", format!("{:?} is no full hour", excerpt(&row.time_stamp)))
    })?;
    is_of("day", &day.to_string(), "the clock")
        .named(&format!("line {line}, Time Stamp"), Some(&stamp.date().to_string()))?;
    if row.price.is_empty() {
        return Ok((stamp, None));
    }
    let value = decimal(&row.price)
        .map(|price| nearest_millionths(price, Decimal::ONE))
        .ok_or_else(|| wrong(PRICE, format!("{:?} is no number", excerpt(&row.price))))?;
    Ok((stamp, Some(value)))
}

/// The hours at their instants.
fn instants(hours: &[LocalPrice], local: &LocalTime) -> Result<MarketDay, FeedError> {
    let is_in_order = hours.is_sorted_by_key(|&(hour, _)| hour);
    let (mut readings, mut notes) = (Vec::new(), Vec::new());
    for (index, &(hour, value)) in hours.iter().enumerate() {
        let first = local.civil_instant(hour).map_err(FeedError::calendar)?;
        if shown(local, first)? != hour {
            return Err(FeedError::payload("Time Stamp", format!("{hour} is no hour of {ZONE}")));
        }
        let start = if shown(local, first + HOUR)? == hour {
            let same = |part: &[LocalPrice]| part.iter().filter(|row| row.0 == hour).count();
            match (same(hours), same(&hours[..index])) {
                (2, 0) if is_in_order => first,
                (2, 1) if is_in_order => first + HOUR,
                _ => {
                    notes.push(format!("{hour} comes twice, and which is which is not told"));
                    continue;
                }
            }
        } else {
            first
        };
        if let (Some(value), Some(span)) = (value, Span::starting(start, HOUR)) {
            readings.push(Reading { span, value, quality: Quality::Measured });
        }
    }
    notes.dedup();
    Ok(MarketDay { readings, notes })
}

fn shown(local: &LocalTime, instant: Timestamp) -> Result<DateTime, FeedError> {
    local.civil(instant).map_err(FeedError::calendar)
}

/// The prices of some days.
///
/// # Errors
/// No prices; nothing but prices that cannot be.
pub fn prices(days: Vec<MarketDay>) -> Result<Series, FeedError> {
    let (mut readings, mut notes) = (Vec::new(), Vec::new());
    for day in days {
        readings.extend(day.readings);
        notes.extend(day.notes);
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no prices"));
    }
    let currency = Currency::parse("USD")
        .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
    let kind = Kind::Price { currency };
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}
