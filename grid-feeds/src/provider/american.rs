//! What day-ahead markets of the USA have in common: days of delivery by their own clocks, dollars per
//! MWh, months before days.

use jiff::ToSpan;
use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use reqwest::RequestBuilder;
use rust_decimal::Decimal;

use crate::feed::{FeedError, Kind, Quality, Query, Reading, Series, assemble, nearest_millionths};
use crate::http::send;
use crate::local_time::LocalTime;

/// How long a price holds.
pub const HOUR: Seconds = Seconds::new(3600);

/// The days of `local` that touch the window of `query`, to tomorrow at the latest: nothing is published
/// beyond.
///
/// # Errors
/// Where all of the window is beyond tomorrow.
pub fn delivery_days(query: Query<'_>, local: &LocalTime) -> Result<Vec<Date>, FeedError> {
    let date = |instant| local.date(instant).map_err(FeedError::calendar);
    let tomorrow = date(query.now)?.tomorrow().map_err(FeedError::calendar)?;
    let last = date(query.window.end() - Seconds::ONE)?.min(tomorrow);
    let first = date(query.window.start())?;
    if last < first {
        return Err(FeedError::not_published("nothing is published beyond tomorrow"));
    }
    Ok(first.series(1.day()).take_while(|day| *day <= last).collect())
}

/// Asks for the file of each delivery day by the clock of `zone`, and reads it; which days have none stands beside what was
/// read.
///
/// # Errors
/// Where no day has a file, and those of [`delivery_days`], of requests and of reading.
pub async fn daily_files<F>(
    query: Query<'_>,
    zone: &str,
    request: impl Fn(Date) -> RequestBuilder,
    read: impl Fn(&str, Date) -> Result<F, FeedError>,
) -> Result<(Vec<F>, Vec<String>), FeedError> {
    let local = LocalTime::named(zone).map_err(FeedError::calendar)?;
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for day in delivery_days(query, &local)? {
        let answer = send(request(day), None, query.now).await?;
        // Not out yet, or older than what is kept.
        if answer.status == 404 {
            missing.push(format!("there is no file of {day}"));
        } else {
            files.push(read(answer.success()?, day)?);
        }
    }
    if files.is_empty() {
        return Err(FeedError::not_published(missing.join(", ")));
    }
    Ok((files, missing))
}

/// Reads `12/1/2025` and `12/01/2025`: month, day, year.
pub fn month_day_year(text: &str) -> Option<Date> {
    let mut parts = text.split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let whole =
        parts.next().is_none() && year.len() == 4 && [month, day, year].map(digits) == [true; 3];
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    date.ok().filter(|_| whole)
}

/// The price of the hour from `start` on; `None` outside of the calendar.
pub fn hourly(start: Timestamp, price: Decimal) -> Option<Reading> {
    let span = Span::starting(start, HOUR);
    let span = span.filter(|it| Timestamp::MIN <= it.start() && it.end() <= Timestamp::MAX)?;
    let value = nearest_millionths(price, Decimal::ONE);
    Some(Reading { span, value, quality: Quality::Measured })
}

/// The series of hourly prices in dollars.
///
/// # Errors
/// Where there is no price, and those of [`assemble`].
pub fn dollars(readings: Vec<Reading>, mut notes: Vec<String>) -> Result<Series, FeedError> {
    if readings.is_empty() {
        return Err(FeedError::not_published("no prices"));
    }
    let kind = Kind::Price { currency: Currency::parse("USD").map_err(FeedError::configuration)? };
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(now: &str, start: &str, end: &str) -> Result<Vec<String>, FeedError> {
        let at = |text| Timestamp::parse(text).unwrap();
        let window = Span::new(at(start), at(end)).unwrap();
        let query = Query { now: at(now), window, validator: None };
        let local = LocalTime::named("America/Chicago").unwrap();
        Ok(delivery_days(query, &local)?.iter().map(Date::to_string).collect())
    }

    /// 05:30 UTC is 23:30 in Chicago, the day before; the window's last instant is not part of it.
    #[test]
    fn days_are_those_of_the_market_and_end_tomorrow() {
        let (now, start) = ("2026-01-15T05:30:00Z", "2026-01-14T05:59:00Z");
        let asked = days(now, start, "2026-01-15T06:00:00Z").unwrap();
        assert_eq!(asked, ["2026-01-13", "2026-01-14"]);
        let asked = days(now, start, "2026-02-15T00:00:00Z").unwrap();
        assert_eq!(asked, ["2026-01-13", "2026-01-14", "2026-01-15"]);
        let beyond = days(now, "2026-01-16T06:00:00Z", "2026-01-17T00:00:00Z");
        assert!(matches!(beyond, Err(FeedError::NotPublished { .. })), "{beyond:?}");
    }

    #[test]
    fn months_come_before_days_with_and_without_zeros() {
        let read = |text| month_day_year(text).map(|date| date.to_string());
        assert_eq!(read("12/1/2025").unwrap(), "2025-12-01");
        assert_eq!(read("02/03/2026").unwrap(), "2026-02-03");
        for text in
            ["13/1/2025", "2/30/2026", "1/4/26", "2026-01-04", "1/4/2026/1", "+1/4/2026", "1/4"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
