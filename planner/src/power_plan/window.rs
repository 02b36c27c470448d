//! Hours of the week by the clock of a place.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

use crate::time::{Span, Timestamp};

/// Hours of the week by the clock of a zone: a window begins on each of its days, and lasts perhaps past midnight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeeklyWindow {
    /// The days on which it begins; every day where there is none.
    pub days: Vec<Weekday>,
    /// The time of the clock at which it begins.
    pub from: Time,
    /// The time at which it ends; where that is not after the beginning, on the next day. From 00:00 to 00:00 is a day.
    pub to: Time,
    /// The zone whose clock it is.
    pub zone: TimeZone,
}

impl WeeklyWindow {
    /// The instants of a horizon that lie in it, in time order.
    pub fn within(&self, horizon: Span) -> Vec<Span> {
        let first = self.date_of(horizon.start()).and_then(|date| date.yesterday().ok());
        let (Some(mut date), Some(last)) = (first, self.date_of(horizon.end())) else {
            return Vec::new();
        };
        let mut spans = Vec::new();
        while date <= last {
            if self.days.is_empty() || self.days.contains(&date.weekday()) {
                spans.extend(self.beginning_on(date).and_then(|it| it.intersection(horizon)));
            }
            let Ok(next) = date.tomorrow() else { break };
            date = next;
        }
        spans
    }

    /// The window that begins on a day. A time of the clock that summer time leaves out is as long after midnight as
    /// ever; of one that comes twice it is the first.
    fn beginning_on(&self, date: Date) -> Option<Span> {
        let end = if self.to > self.from { date } else { date.checked_add(1.day()).ok()? };
        let at = |date: Date, time: Time| {
            let zoned = self.zone.to_ambiguous_zoned(date.to_datetime(time)).compatible().ok()?;
            Some(Timestamp::from_unix_seconds(zoned.timestamp().as_second()))
        };
        Span::new(at(date, self.from)?, at(end, self.to)?)
    }

    fn date_of(&self, instant: Timestamp) -> Option<Date> {
        let instant = jiff::Timestamp::from_second(instant.as_unix_seconds()).ok()?;
        Some(Zoned::new(instant, self.zone.clone()).date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(days: &[Weekday], from: i8, to: i8) -> WeeklyWindow {
        let clock = |hour| Time::new(hour, 0, 0, 0).unwrap();
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        WeeklyWindow { days: days.to_vec(), from: clock(from), to: clock(to), zone }
    }

    fn span(start: &str, end: &str) -> Span {
        Span::new(Timestamp::parse(start).unwrap(), Timestamp::parse(end).unwrap()).unwrap()
    }

    /// 2026-03-27 is a Friday; summer time begins in the night to Sunday the 29th, at 02:00.
    #[test]
    fn a_window_begins_on_its_days_by_the_clock_on_the_wall() {
        let week = span("2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z");
        assert_eq!(
            window(&[Weekday::Friday, Weekday::Sunday], 22, 6).within(week),
            [
                span("2026-03-27T21:00:00Z", "2026-03-28T05:00:00Z"),
                span("2026-03-29T20:00:00Z", "2026-03-30T04:00:00Z"),
            ]
        );
        // The night in which the clock is put forward is seven hours long.
        assert_eq!(
            window(&[Weekday::Saturday], 22, 6).within(week),
            [span("2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z")]
        );
    }

    /// A night that began before the horizon counts from its start; every day where none is named.
    #[test]
    fn a_night_that_has_begun_counts() {
        let friday = span("2026-03-27T02:00:00Z", "2026-03-27T22:00:00Z");
        assert_eq!(
            window(&[], 22, 6).within(friday),
            [
                span("2026-03-27T02:00:00Z", "2026-03-27T05:00:00Z"),
                span("2026-03-27T21:00:00Z", "2026-03-27T22:00:00Z"),
            ]
        );
        assert_eq!(window(&[], 0, 0).within(friday).last().unwrap().end(), friday.end());
        assert_eq!(window(&[Weekday::Thursday], 22, 23).within(friday), []);
    }
}
