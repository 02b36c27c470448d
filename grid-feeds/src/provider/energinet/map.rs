//! From records in any order to agendas.
//!
//! A record says when it starts, and not how long it holds: prices hold for an hour until the end of
//! September 2025, and for a quarter of one since; intensities hold for five minutes.

use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;

use super::wire::{EmissionRecord, PriceRecord, RecordPage};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Number, Quality, Reading, Series, assemble,
    excerpt, instant, nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::json;

/// Days of the service are days of this zone.
pub(super) const ZONE: &str = "Europe/Copenhagen";

/// From this day on prices are of quarter-hours, and in a data set of their own.
pub(super) const QUARTER_HOURS_FROM: Date = jiff::civil::date(2025, 10, 1);

const FIVE_MINUTES: Seconds = Seconds::new(300);

/// In what prices are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PriceColumn {
    /// Kroner.
    Dkk,
    /// Euros, in which the auction is held.
    Eur,
}

/// Reads a page of `dataset`.
///
/// # Errors
/// Another data set, and what is not JSON of this shape.
pub fn read<R: DeserializeOwned>(text: &str, dataset: &str) -> Result<RecordPage<R>, FeedError> {
    let page: RecordPage<R> = json(text)?;
    Identity { what: "data set", asked: dataset, setting: "`base_url`" }
        .told("/dataset", page.dataset.as_deref())?;
    Ok(page)
}

/// Day-ahead prices of `area`.
///
/// # Errors
/// Records of another area, starts between the steps of the market, words for numbers.
pub fn prices(
    records: &[PriceRecord],
    area: &str,
    column: PriceColumn,
) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut readings = Vec::new();
    let mut unknown = 0;
    for record in records {
        is_of_area(area, record.area.as_deref(), &record.start)?;
        let start = start(&record.start)?;
        let day = local.date(start).map_err(FeedError::calendar)?;
        let step = Seconds::new(if day < QUARTER_HOURS_FROM { 3600 } else { 900 });
        let (number, place) = match column {
            PriceColumn::Dkk => (&record.kroner, "price in DKK"),
            PriceColumn::Eur => (&record.euros, "price in EUR"),
        };
        let span = span(start, step)?;
        match value(number.as_ref(), start, place)? {
            Some(value) => readings.push(Reading { span, value, quality: Quality::Measured }),
            None => unknown += 1,
        }
    }
    series(Kind::Price { currency: column.currency()? }, readings, unknown)
}

/// CO2 intensities of what is consumed: `measured` as far as they are known, `expected` beyond.
///
/// # Errors
/// As [`prices`].
pub fn intensities(
    measured: &[EmissionRecord],
    expected: &[EmissionRecord],
    area: &str,
) -> Result<Series, FeedError> {
    let measured = measured.iter().map(|record| (record, Quality::Measured));
    let expected = expected.iter().map(|record| (record, Quality::Forecast));
    let mut readings = Vec::new();
    let mut unknown = 0;
    for (record, quality) in measured.chain(expected) {
        is_of_area(area, record.area.as_deref(), &record.start)?;
        let start = start(&record.start)?;
        let span = span(start, FIVE_MINUTES)?;
        match value(record.grams.as_ref(), start, "CO2Emission")? {
            Some(value) => readings.push(Reading { span, value, quality }),
            None => unknown += 1,
        }
    }
    // What was expected of a time that is measured is no second value of it.
    readings.sort_by_key(|reading| (reading.span, std::cmp::Reverse(reading.quality)));
    readings.dedup_by(|next, kept| next.span == kept.span && next.quality < kept.quality);
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };
    series(kind, readings, unknown)
}

impl PriceColumn {
    fn currency(self) -> Result<Currency, FeedError> {
        let code = match self {
            Self::Dkk => "DKK",
            Self::Eur => "EUR",
        };
        Currency::parse(code).map_err(FeedError::configuration)
    }
}

fn is_of_area(asked: &str, came: Option<&str>, start: &str) -> Result<(), FeedError> {
    let place = format!("{}/PriceArea", excerpt(start));
    Identity { what: "area", asked, setting: "`area`" }.named(&place, came)
}

/// The start that a record tells in UTC, though it does not say so.
fn start(text: &str) -> Result<Timestamp, FeedError> {
    let start = instant(text).or_else(|| instant(&format!("{text}Z")));
    start.ok_or_else(|| FeedError::payload("a start", format!("{:?} is no time", excerpt(text))))
}

fn span(start: Timestamp, step: Seconds) -> Result<Span, FeedError> {
    let span = Span::starting(start, step).filter(|_| start.ceil_to(step) == start);
    span.ok_or_else(|| FeedError::payload(start, format!("is no start of {} s", step.get())))
}

/// The value in millionths; `None` where the record has none.
fn value(number: Option<&Number>, start: Timestamp, place: &str) -> Result<Option<i64>, FeedError> {
    let Some(number) = number else { return Ok(None) };
    let value = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
    let wrong = || FeedError::payload(format!("{start}/{place}"), "is not a number");
    Ok(Some(value.ok_or_else(wrong)?))
}

fn series(kind: Kind, readings: Vec<Reading>, unknown: usize) -> Result<Series, FeedError> {
    if readings.is_empty() {
        return Err(FeedError::not_published("no record has a value"));
    }
    let mut notes = Vec::new();
    if unknown > 0 {
        notes.push(format!("{unknown} records without a value are gaps"));
    }
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}
