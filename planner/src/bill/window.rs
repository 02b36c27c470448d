//! When power is looked at for a demand charge.

use jiff::Zoned;
use jiff::civil::{Time, Weekday};

/// Quarter-hours by the calendar and the clock of the site; a condition that is empty fits always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemandWindow {
    /// On these days of the week.
    pub weekdays: Vec<Weekday>,
    /// In these months, 1 to 12.
    pub months: Vec<i8>,
    /// From one time of the clock to another, perhaps past midnight; `None` for all day.
    pub hours: Option<(Time, Time)>,
}

impl DemandWindow {
    /// Whether a quarter-hour that begins now lies in it. The day is the one that the calendar shows then, past
    /// midnight too.
    pub fn contains(&self, start: &Zoned) -> bool {
        let time = start.time();
        let in_hours = self.hours.is_none_or(|(from, to)| {
            if from < to { from <= time && time < to } else { from <= time || time < to }
        });
        in_hours
            && (self.weekdays.is_empty() || self.weekdays.contains(&start.weekday()))
            && (self.months.is_empty() || self.months.contains(&start.month()))
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn at(text: &str) -> Zoned {
        let paris = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        text.parse::<jiff::Timestamp>().unwrap().to_zoned(paris)
    }

    fn clock(hour: i8) -> Time {
        Time::new(hour, 0, 0, 0).unwrap()
    }

    /// 2026-03-27 is a Friday. Summer time begins on Sunday the 29th: 08:00 is 07:00 UTC before, and 06:00 UTC after.
    #[test]
    fn windows_follow_the_clock_on_the_wall() {
        let window = DemandWindow { hours: Some((clock(8), clock(20))), ..DemandWindow::default() };
        let inside = |text| window.contains(&at(text));
        assert!(!inside("2026-03-27T06:45:00Z") && inside("2026-03-27T07:00:00Z"));
        assert!(inside("2026-03-27T18:45:00Z") && !inside("2026-03-27T19:00:00Z"));
        assert!(inside("2026-03-30T06:00:00Z") && !inside("2026-03-30T18:00:00Z"));
    }

    /// From 22:00 to 06:00 on Fridays: Friday's early morning and late evening, and not Saturday's morning.
    #[test]
    fn days_are_those_that_the_calendar_shows() {
        let window = DemandWindow {
            weekdays: vec![Weekday::Friday],
            months: vec![3],
            hours: Some((clock(22), clock(6))),
        };
        let inside = |text| window.contains(&at(text));
        assert!(inside("2026-03-27T04:45:00Z") && inside("2026-03-27T21:00:00Z"));
        assert!(!inside("2026-03-27T12:00:00Z") && !inside("2026-03-27T23:00:00Z"));
        assert!(!inside("2026-04-03T21:00:00Z"), "April");
    }
}
