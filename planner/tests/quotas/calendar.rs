//! Rules follow the clock on the wall, also where it is changed.

use jiff::tz::TimeZone;
use planner::quota::{QuotaCalendar, QuotaPeriod, QuotaPiece, RecurringQuota};
use planner::time::{Span, Timestamp};

fn paris() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// From 02:00 to 02:30 other rules than else.
fn half_an_hour() -> QuotaCalendar {
    QuotaCalendar {
        recurring: vec![RecurringQuota::daily(7200, 9000, 0)],
        otherwise: Some(1),
        ..QuotaCalendar::default()
    }
}

/// Minutes and rules of a day of Paris.
fn pieces(from: &str, to: &str) -> Vec<(i64, Option<usize>)> {
    let day = Span::new(at(from), at(to)).unwrap();
    let told = |it: &QuotaPiece| (it.span.length().get() / 60, it.rules);
    half_an_hour().pieces(day, &paris()).iter().map(told).collect()
}

/// On 2026-10-25 the clock shows 02:00 to 03:00 twice, and the day has 25 hours: two hours, the half hour, its other half,
/// the half hour again, and the 21 and a half that are left.
#[test]
fn where_the_clock_is_put_back_what_it_shows_twice_counts_twice() {
    let (half, else_) = (Some(0), Some(1));
    let day = pieces("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
    assert_eq!(day, [(120, else_), (30, half), (30, else_), (30, half), (1290, else_)]);
}

/// On 2026-03-29 it goes from 02:00 to 03:00, and the day has 23 hours.
#[test]
fn where_the_clock_is_put_forward_what_it_never_shows_does_not_count() {
    assert_eq!(pieces("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), [(1380, Some(1))]);
}

#[test]
fn periods_are_those_of_the_calendar() {
    let around = |per: QuotaPeriod, text| {
        let period = per.around(at(text), &paris()).unwrap();
        (period.start().to_string(), period.end().to_string())
    };
    let told = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let noon = "2026-10-25T12:00:00Z";
    assert_eq!(
        around(QuotaPeriod::Day, noon),
        told("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")
    );
    assert_eq!(
        around(QuotaPeriod::Week, noon),
        told("2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z")
    );
    assert_eq!(
        around(QuotaPeriod::Month, noon),
        told("2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z")
    );
}
