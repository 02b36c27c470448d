//! From a run to an agenda.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::PredispatchRun;
use crate::feed::{
    FeedError, Kind, Quality, Reading, Series, assemble, decimal, excerpt, nearest_millionths,
};

/// How long a price holds.
const HALF_HOUR: Seconds = Seconds::new(1800);

/// The market's time is ahead of UTC, all year.
const AHEAD_OF_UTC: Seconds = Seconds::new(10 * 3600);

/// So begin the names of files; the end of the first half-hour and the instant of writing follow.
const FILE: &str = "PUBLIC_PREDISPATCHIS_";

/// The name of the newest file in a listing.
///
/// # Errors
/// Where no file is listed.
pub fn newest(listing: &str) -> Result<&str, FeedError> {
    if listing.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let words = listing.split(|letter: char| "\"'/<> \t\r\n".contains(letter));
    let newest = words.filter(|word| is_file(word)).max();
    newest.ok_or_else(|| FeedError::payload("the listing", format!("has no file {FILE}*.zip")))
}

/// Whether it is `PUBLIC_PREDISPATCHIS_202506220030_20250622000312.zip` or such.
fn is_file(word: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, rest)) = word.strip_prefix(FILE).and_then(|rest| rest.split_once('_')) else {
        return false;
    };
    let written = rest.strip_suffix(".zip").or_else(|| rest.strip_suffix(".ZIP"));
    first.len() == 12 && digits(first) && written.is_some_and(|it| it.len() == 14 && digits(it))
}

/// Reads a file and the prices of `region`.
///
/// # Errors
/// Another region or report; what is no such file, or ends too early.
pub fn read(text: &str, region: &str) -> Result<PredispatchRun, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let run = PredispatchRun::read(text, region)?;
    if run.rows.is_empty() {
        let (asked, others) = (format!("region {region:?}"), run.others.join(", "));
        return Err(FeedError::mismatch("REGIONID", asked, &others, "`region`"));
    }
    Ok(run)
}

/// The prices of a run, all of them forecasts.
///
/// # Errors
/// Where there are none; words for numbers, times that end no half-hour.
pub fn prices(run: &PredispatchRun) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    for row in &run.rows {
        let place = format!("line {}", row.line);
        let span = half_hour(&row.end).ok_or_else(|| {
            FeedError::payload(&place, format!("{:?} ends no half-hour", excerpt(&row.end)))
        })?;
        if row.price.is_empty() {
            continue;
        }
        let price = decimal(&row.price)
            .ok_or_else(|| FeedError::payload(&place, "has a price that is not a number"))?;
        let value = nearest_millionths(price, Decimal::ONE);
        readings.push(Reading { span, value, quality: Quality::Forecast });
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no prices"));
    }
    let kind = Kind::Price { currency: Currency::parse("AUD").map_err(FeedError::configuration)? };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    let issued_at = run.made.as_deref().and_then(market_instant);
    Ok(Series { kind, issued_at, agenda, notes })
}

/// The half-hour that ends at a time of the market.
fn half_hour(end: &str) -> Option<Span> {
    let end = market_instant(end).filter(|end| end.ceil_to(HALF_HOUR) == *end)?;
    Span::starting(end - HALF_HOUR, HALF_HOUR).filter(|span| span.start() >= Timestamp::MIN)
}

/// `2025/06/22 00:30:00` in the market's time.
fn market_instant(text: &str) -> Option<Timestamp> {
    let local = DateTime::strptime("%Y/%m/%d %H:%M:%S", text).ok()?.to_zoned(TimeZone::UTC).ok()?;
    let instant = Timestamp::from_unix_seconds(local.timestamp().as_second()) - AHEAD_OF_UTC;
    Some(instant).filter(|at| (Timestamp::MIN..=Timestamp::MAX).contains(at))
}
