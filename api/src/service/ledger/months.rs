//! Months, as the site's calendar has them. What counts in a month are the hours of UTC that begin in it.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use planner::time::{Span, Timestamp};

use super::HOUR;

/// The months of a window, by name, each with the part of it that lies in the window.
pub(super) fn months(window: Span, zone: &str) -> Result<Vec<(Option<String>, Span)>, jiff::Error> {
    let zone = TimeZone::get(zone)?;
    let first = jiff::Timestamp::from_second(window.start().as_unix_seconds())?;
    let mut month = first.to_zoned(zone).first_of_month()?.start_of_day()?;
    let mut months = Vec::new();
    let instant = |zoned: &jiff::Zoned| {
        Timestamp::from_unix_seconds(zoned.timestamp().as_second()).ceil_to(HOUR)
    };
    while instant(&month) < window.end() {
        let next = month.checked_add(jiff::Span::new().months(1))?.start_of_day()?;
        let part = Span::new(instant(&month), instant(&next));
        let part = part.and_then(|it| it.intersection(window));
        months.extend(part.map(|part| (Some(month.strftime("%Y-%m").to_string()), part)));
        month = next;
    }
    Ok(months)
}

/// The hours of the month of a name such as `2026-03`; `None` where it names none.
pub(super) fn month_named(name: &str, zone: &TimeZone) -> Option<Span> {
    let first = format!("{name}-01").parse::<Date>().ok().filter(|_| name.len() == 7)?;
    let next = first.checked_add(jiff::Span::new().months(1)).ok()?;
    let start = |day: Date| {
        let start = day.to_zoned(zone.clone()).ok()?.timestamp();
        Some(Timestamp::from_unix_seconds(start.as_second()).ceil_to(HOUR))
    };
    Span::new(start(first)?, start(next)?)
}

/// The first full hour of the month in which an instant lies.
pub(super) fn month_of(instant: Timestamp, zone: &str) -> Result<Timestamp, jiff::Error> {
    let zone = TimeZone::get(zone)?;
    let local = jiff::Timestamp::from_second(instant.as_unix_seconds())?.to_zoned(zone);
    let start = local.first_of_month()?.start_of_day()?.timestamp().as_second();
    Ok(Timestamp::from_unix_seconds(start).ceil_to(HOUR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// March begins in Paris an hour before it does in UTC, in Kolkata 5.5 hours before: the first full hour
    /// there begins half an hour later.
    #[test]
    fn months_begin_as_the_sites_calendar_says() {
        let middle = at("2026-03-11T12:00:00Z");
        for (zone, start) in [
            ("UTC", "2026-03-01T00:00:00Z"),
            ("Europe/Paris", "2026-02-28T23:00:00Z"),
            ("Asia/Kolkata", "2026-02-28T19:00:00Z"),
        ] {
            assert_eq!(month_of(middle, zone).unwrap(), at(start), "{zone}");
            let march = month_named("2026-03", &TimeZone::get(zone).unwrap()).unwrap();
            assert_eq!(march.start(), at(start), "{zone}");
        }
    }

    /// Summer time begins in Paris on 29 March: the month has 743 hours.
    #[test]
    fn months_have_names() {
        let paris = TimeZone::get("Europe/Paris").unwrap();
        let march = month_named("2026-03", &paris).unwrap();
        assert_eq!(march.length().get(), (31 * 24 - 1) * 3600);
        assert_eq!(march.end(), at("2026-03-31T22:00:00Z"));
        for wrong in ["2026-13", "2026-3", "2026", "", "march", "2026-03-01"] {
            assert_eq!(month_named(wrong, &paris), None, "{wrong}");
        }
    }

    /// From the middle of February to the beginning of March in Paris, where March begins at 23:00 UTC.
    #[test]
    fn months_are_those_of_the_sites_calendar() {
        let window = Span::new(at("2026-02-14T00:00:00Z"), at("2026-03-01T05:00:00Z")).unwrap();
        let march = at("2026-02-28T23:00:00Z");
        let expected = [
            (Some("2026-02".to_owned()), Span::new(window.start(), march).unwrap()),
            (Some("2026-03".to_owned()), Span::new(march, window.end()).unwrap()),
        ];
        assert_eq!(months(window, "Europe/Paris").unwrap(), expected);
    }
}
