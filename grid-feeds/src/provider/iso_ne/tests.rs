//! Answers of the shape that ISO New England writes.

use jiff::civil::{Date, date};

use super::map;
use crate::feed::{FeedError, Series};

fn hour(start: &str, price: &str) -> String {
    format!(
        r#"{{"BeginDate": "{start}", "Location": {{"@LocId": "4000", "@LocType": "HUB",
            "$": ".H.INTERNAL_HUB"}}, "LmpTotal": {price}, "EnergyComponent": 28.21,
            "CongestionComponent": 0, "LossComponent": 0.09}}"#
    )
}

fn answer(hours: &[String]) -> String {
    format!(r#"{{"HourlyLmps": {{"HourlyLmp": [{}]}}}}"#, hours.join(","))
}

fn series(text: &str, day: Date) -> Result<Series, FeedError> {
    map::prices(&map::read(text, day, "4000")?)
}

/// The hours of a day as clocks show them, with the offset of each; prices 10, 11, ...
fn day_of(day: &str, clock: &[(u32, &str)]) -> String {
    let numbers = 10..;
    let hour = |(&(at, offset), price): (&(u32, &str), u32)| {
        hour(&format!("{day}T{at:02}:00:00.000{offset}"), &price.to_string())
    };
    answer(&clock.iter().zip(numbers).map(hour).collect::<Vec<_>>())
}

/// Starts and prices, split by hand: the hour of the clock less the offset is that of UTC.
fn by_hand(text: &str) -> Vec<(i64, i64)> {
    let hours = text.split("\"BeginDate\": \"").skip(1);
    let read = |hour: &str| -> (i64, i64) {
        let clock: i64 = hour[11..13].parse().unwrap();
        let behind: i64 = hour[24..26].parse().unwrap();
        let price = hour.split("\"LmpTotal\": ").nth(1).unwrap().split(',').next().unwrap();
        (clock + behind, price.parse().unwrap())
    };
    hours.map(read).collect()
}

fn hours_of(day: Date, series: &Series) -> Vec<(i64, i64)> {
    let midnight = planner::time::Timestamp::parse(&format!("{day}T00:00:00Z")).unwrap();
    let pieces = series.agenda.pieces().iter();
    pieces
        .map(|it| ((it.span.start() - midnight).get() / 3600, it.value.value / 1_000_000))
        .collect()
}

#[test]
fn days_of_23_24_and_25_hours_are_whole() {
    let summer = |from: u32| (from..24).map(|at| (at, "-04:00"));
    let winter = |from: u32, to: u32| (from..to).map(|at| (at, "-05:00"));
    let forward: Vec<_> = winter(0, 2).chain(summer(3)).collect();
    let usual: Vec<_> = summer(0).collect();
    let back: Vec<_> = summer(0).take(2).chain(winter(1, 24)).collect();
    for (day, clock, length) in [
        (date(2026, 3, 8), forward, 23),
        (date(2026, 9, 23), usual, 24),
        (date(2025, 11, 2), back, 25),
    ] {
        let text = day_of(&day.to_string(), &clock);
        let series = series(&text, day).unwrap();
        assert_eq!(series.agenda.pieces().len(), length);
        assert_eq!(hours_of(day, &series), by_hand(&text), "{day}");
        assert!(series.agenda.covers(series.span().unwrap()), "{day} has a gap");
        assert_eq!(series.kind.to_string(), "price in USD/MWh");
    }
}

#[test]
fn a_single_hour_is_no_list_and_no_hours_are_empty_text() {
    let day = date(2026, 9, 23);
    let single = answer(&[hour("2026-09-23T00:00:00.000-04:00", "-7.25")]);
    let single = single.replace(['[', ']'], "");
    assert_eq!(series(&single, day).unwrap().agenda.pieces()[0].value.value, -7_250_000);
    for nothing in [
        r#"{"HourlyLmps": ""}"#,
        r#"{"HourlyLmps": null}"#,
        r#"{"HourlyLmps": {}}"#,
        r#"{"HourlyLmps": {"HourlyLmp": ""}}"#,
        r#"{"HourlyLmps": {"HourlyLmp": []}}"#,
    ] {
        assert!(map::read(nothing, day, "4000").unwrap().is_empty(), "{nothing}");
        let error = series(nothing, day).unwrap_err();
        assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
    }
    for other in ["{}", r#"{"HourlyLmps": "maintenance"}"#, r#"{"HourlyPrices": {}}"#] {
        let error = series(other, day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{other}: {error}");
    }
}

#[test]
fn a_price_that_is_missing_is_a_gap_and_zero_is_a_price() {
    let day = date(2026, 9, 23);
    let hours = ["0", "null", "\"31.5\""].iter().zip(0..);
    let hours: Vec<String> = hours
        .map(|(price, at)| hour(&format!("2026-09-23T{at:02}:00:00.000-04:00"), price))
        .collect();
    let known = hours_of(day, &series(&answer(&hours), day).unwrap());
    assert_eq!(known, [(4, 0), (6, 31)]);
    let absent = answer(&hours).replace("\"LmpTotal\": null,", "");
    assert_eq!(hours_of(day, &series(&absent, day).unwrap()), known);
    let word = answer(&hours).replace("\"31.5\"", "\"n/a\"");
    assert!(series(&word, day).unwrap_err().to_string().contains("T02:00:00.000-04:00"));
}

#[test]
fn another_location_or_day_and_starts_that_are_none_are_refused() {
    let day = date(2026, 9, 23);
    let text = answer(&[hour("2026-09-23T00:00:00.000-04:00", "31.5")]);
    for (from, to, told) in [
        ("\"4000\"", "\"4001\"", "asked for location \"4000\", the answer says \"4001\""),
        ("\"4000\"", "4001", "asked for location \"4000\", the answer says \"4001\""),
        ("T00:00:00.000-04:00", "T00:00:00.000-03:00", "the answer says \"2026-09-22\""),
        ("T00:00:00.000-04:00", "T00:00:00", "is not the start of an hour with its offset"),
        ("T00:00:00.000-04:00", "T00:30:00.000-04:00", "is not the start of an hour"),
    ] {
        let error = series(&text.replace(from, to), day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
    assert!(series(&text.replace("\"4000\"", "4000"), day).is_ok());
}
