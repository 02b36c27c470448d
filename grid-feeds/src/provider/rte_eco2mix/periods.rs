//! When the numbered quarter-hours of a day begin.
//!
//! On a day of the change of the clock the numbers may count what has passed since midnight, 92 or 100 of them, or
//! what the clock shows, 96 of them. Only a day that is over tells which. Until then, the numbers up to the change
//! are sure and the others mean nothing.

use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};

use crate::feed::FeedError;
use crate::local_time::LocalTime;

/// What a number counts.
pub(super) const QUARTER: Seconds = Seconds::new(900);

/// Quarter-hours of a day without a change of the clock.
const USUAL: i64 = 96;

/// The clock changes at 02:00 or 03:00: up to here, all ways of counting agree.
const SURE: i64 = 8;

/// The first quarter-hour, 03:00, from which the clock shows each time once.
const AFTER: i64 = 12;

/// How a day is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// By what has passed since midnight.
    Passed,
    /// By what the clock shows.
    Shown,
    /// Not known: up to the change of the clock alone.
    Unsure,
}

/// A day in Paris whose quarter-hours are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedDay {
    start: Timestamp,
    /// How many quarter-hours it has: 92, 96 or 100.
    quarters: i64,
    count: Count,
}

impl NumberedDay {
    /// The day `date`, whose highest number is `highest`.
    ///
    /// # Errors
    /// Where the day has no quarter-hour of that number by any count.
    pub(super) fn new(
        local: &LocalTime,
        date: Date,
        highest: i64,
        is_over: bool,
    ) -> Result<Self, FeedError> {
        let start = local.day_start(date).map_err(FeedError::calendar)?;
        let next = date.tomorrow().and_then(|next| local.day_start(next));
        let quarters = (next.map_err(FeedError::calendar)? - start).get() / QUARTER.get();
        if !(0..quarters.max(USUAL)).contains(&highest) {
            let message = format!("period {highest} is beyond the day");
            return Err(FeedError::payload(date, message));
        }
        let count = match highest + 1 {
            _ if quarters == USUAL => Count::Passed,
            // A day of 25 hours alone has so many, whether it is over or not.
            numbers if numbers > USUAL => Count::Passed,
            numbers if is_over && numbers == quarters => Count::Passed,
            USUAL if is_over => Count::Shown,
            _ => Count::Unsure,
        };
        Ok(Self { start, quarters, count })
    }

    /// The span of a number; `None` where it is none, or not sure which.
    pub(super) fn span(self, period: i64) -> Option<Span> {
        let passed = match self.count {
            Count::Passed => Some(period),
            _ if period < SURE => Some(period),
            // What the clock shows is as far from the end of the day as it is on all days.
            Count::Shown if period >= AFTER => Some(period + self.quarters - USUAL),
            Count::Shown | Count::Unsure => None,
        };
        Span::starting(self.start + Seconds::new(passed? * QUARTER.get()), QUARTER)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn starts(day: Date, highest: i64, is_over: bool, periods: &[i64]) -> Vec<Option<String>> {
        let local = LocalTime::paris().unwrap();
        let numbered = NumberedDay::new(&local, day, highest, is_over).unwrap();
        let start = |&period: &i64| Some(numbered.span(period)?.start().to_string());
        periods.iter().map(start).collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "beside those whose time is not sure")]
    fn at(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    /// 96 quarter-hours from midnight in Paris, which is 23:00 UTC in winter.
    #[test]
    fn a_usual_day_counts_from_midnight() {
        let told = starts(date(2026, 3, 10), 95, false, &[0, 50, 95]);
        assert_eq!(
            told,
            [at("2026-03-09T23:00:00Z"), at("2026-03-10T11:30:00Z"), at("2026-03-10T22:45:00Z")]
        );
    }

    /// 2026-03-29 ends at 22:00 UTC after 23 hours. Number 40 is 10:00 after midnight, 09:00 UTC, by what has passed,
    /// and 10:00 on the clock, 08:00 UTC, by what it shows.
    #[test]
    fn a_day_of_23_hours_counts_by_what_has_passed_or_what_the_clock_shows() {
        let day = date(2026, 3, 29);
        let passed = starts(day, 91, true, &[7, 8, 40, 91]);
        assert_eq!(
            passed,
            [
                at("2026-03-29T00:45:00Z"),
                at("2026-03-29T01:00:00Z"),
                at("2026-03-29T09:00:00Z"),
                at("2026-03-29T21:45:00Z"),
            ]
        );
        let shown = starts(day, 95, true, &[7, 8, 11, 12, 40, 95]);
        assert_eq!(
            shown,
            [
                at("2026-03-29T00:45:00Z"),
                None,
                None,
                at("2026-03-29T01:00:00Z"),
                at("2026-03-29T08:00:00Z"),
                at("2026-03-29T21:45:00Z"),
            ]
        );
    }

    /// 2026-10-25 ends at 23:00 UTC after 25 hours. By what the clock shows, 02:00 to 03:00 may be either hour.
    #[test]
    fn a_day_of_25_hours_counts_by_what_has_passed_or_what_the_clock_shows() {
        let day = date(2026, 10, 25);
        for is_over in [true, false] {
            let passed = starts(day, 99, is_over, &[7, 12, 99]);
            assert_eq!(
                passed,
                [
                    at("2026-10-24T23:45:00Z"),
                    at("2026-10-25T01:00:00Z"),
                    at("2026-10-25T22:45:00Z")
                ]
            );
        }
        let shown = starts(day, 95, true, &[7, 8, 11, 12, 95]);
        assert_eq!(
            shown,
            [
                at("2026-10-24T23:45:00Z"),
                None,
                None,
                at("2026-10-25T02:00:00Z"),
                at("2026-10-25T22:45:00Z"),
            ]
        );
    }

    #[test]
    fn until_the_day_is_over_only_what_comes_before_the_change_is_sure() {
        for (day, highest) in [(date(2026, 3, 29), 91), (date(2026, 10, 25), 95)] {
            let told = starts(day, highest, false, &[0, 7, 8, 50]);
            assert!(told[0].is_some() && told[1].is_some(), "{day}");
            assert_eq!((&told[2], &told[3]), (&None, &None), "{day}");
        }
        let cut_off = starts(date(2026, 3, 29), 60, true, &[7, 8]);
        assert_eq!(cut_off[1], None, "a number of values that says nothing");
    }

    #[test]
    fn numbers_beyond_the_day_are_refused() {
        let local = LocalTime::paris().unwrap();
        let refused = |day, highest| NumberedDay::new(&local, day, highest, true).is_err();
        assert!(refused(date(2026, 3, 10), 96));
        assert!(refused(date(2026, 3, 29), 96));
        assert!(refused(date(2026, 10, 25), 100));
        assert!(refused(date(2026, 3, 10), -1));
        assert!(!refused(date(2026, 10, 25), 99));
    }
}
