//! Files of the shapes that Southwest Power Pool writes.

use jiff::civil::{Date, date};
use planner::time::Timestamp;

use super::map;
use crate::feed::{FeedError, Series};

const HEADER: &str = "Interval,GMTIntervalEnd,BAA,Settlement Location,Pnode,LMP,MLC,MCC,MEC";

/// The hours of the north hub, each with a row of another location before it and one of the west behind.
fn file(rows: &[(&str, &str, &str)]) -> String {
    let mut text = format!("{HEADER}\r\n");
    for (clock, end, price) in rows {
        for (area, location, price) in
            [("SPP", "AEC", "1"), ("SPP", "SPPNORTH_HUB", price), ("SWPW", "SPPNORTH_HUB", "999")]
        {
            let row =
                format!("{clock},{end},{area},{location},NODE_1,{price},-1.189,-1.4197,18.507\r\n");
            text += &row;
        }
    }
    text
}

/// The rows of the west and the column of areas go: files from before April 2026.
fn without_areas(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains(",SWPW,"));
    lines.map(|line| line.replace(",SPP,", ",").replace(",BAA,", ",") + "\n").collect()
}

fn series(text: &str, day: Date) -> Result<Series, FeedError> {
    map::prices(&[map::read(text, day, ("SPPNORTH_HUB", "SPP"))?])
}

fn starts(series: &Series) -> Vec<(String, i64)> {
    let pieces = series.agenda.pieces().iter();
    pieces.map(|it| (it.span.start().to_string(), it.value.value / 1_000_000)).collect()
}

/// The hours of `day` whose ends in UTC are so many hours after its midnight; prices 10, 11, ...
fn day_of(day: Date, ends: std::ops::RangeInclusive<i64>) -> Vec<(String, i64)> {
    let midnight = Timestamp::parse(&format!("{day}T00:00:00Z")).unwrap();
    let end = |hours: i64| (midnight + planner::time::Seconds::new(hours * 3600)).to_string();
    ends.map(end).zip(10..).collect()
}

/// `2026-09-23T06:00:00Z` as `09/23/2026 06:00:00`.
fn written(end: &str) -> String {
    format!("{}/{}/{} {}", &end[5..7], &end[8..10], &end[..4], &end[11..19])
}

/// Days of 23, 24 and 25 hours in Arkansas: in summer they begin at 05:00 UTC, in winter at 06:00. By hand, an
/// hour that ends at such a time and has such a price begins an hour earlier.
#[test]
fn days_of_23_24_and_25_hours_are_whole_with_and_without_areas() {
    for (day, ends, length) in [
        (date(2026, 3, 8), 7..=29, 23),
        (date(2026, 9, 23), 6..=29, 24),
        (date(2025, 11, 2), 6..=30, 25),
    ] {
        let hours = day_of(day, ends);
        let rows: Vec<(String, String)> =
            hours.iter().map(|(end, price)| (written(end), price.to_string())).collect();
        let rows: Vec<(&str, &str, &str)> =
            rows.iter().map(|(end, price)| ("01:00:00", end.as_str(), price.as_str())).collect();
        let text = file(&rows);
        for text in [&text, &without_areas(&text)] {
            let series = series(text, day).unwrap();
            let by_hand: Vec<(String, i64)> = hours
                .iter()
                .map(|(end, price)| {
                    let start = Timestamp::parse(end).unwrap().as_unix_seconds() - 3600;
                    (Timestamp::from_unix_seconds(start).to_string(), *price)
                })
                .collect();
            assert_eq!(starts(&series), by_hand, "{day}");
            assert_eq!(by_hand.len(), length);
            assert!(series.agenda.covers(series.span().unwrap()), "{day}");
            assert_eq!(series.kind.to_string(), "price in USD/MWh");
        }
    }
}

#[test]
fn times_and_columns_are_written_in_several_ways() {
    let day = date(2026, 4, 1);
    for end in ["04/01/2026 06:00:00", "4/1/2026 6:00", "4/1/2026 06:00"] {
        let text = file(&[("4/1/2026 1:00", end, "21.5")]);
        for header in
            [HEADER, "INTERVAL,GMTINTERVALEND,BAA,SETTLEMENT_LOCATION,PNODE,LMP,MLC,MCC,MEC"]
        {
            let known = starts(&series(&text.replace(HEADER, header), day).unwrap());
            assert_eq!(known, [("2026-04-01T05:00:00Z".to_owned(), 21)], "{end}");
        }
    }
    for end in [
        "4/1/26 6:00",
        "2026-04-01 06:00",
        "4/1/2026 6:00 CST",
        "4/1/2026",
        "4/1/2026 6:30",
        "4/1/2026 24:00",
    ] {
        let error = series(&file(&[("4/1/2026 1:00", end, "21.5")]), day).unwrap_err();
        assert!(error.to_string().contains("is not the end of an hour"), "{end}: {error}");
    }
}

#[test]
fn prices_below_zero_count_and_missing_ones_are_gaps() {
    let day = date(2026, 4, 12);
    let ends = ["4/12/2026 6:00", "4/12/2026 7:00", "4/12/2026 8:00"];
    let text = |price| file(&[("", ends[0], "-15.26"), ("", ends[1], price), ("", ends[2], "0")]);
    let known: Vec<i64> =
        series(&text(""), day).unwrap().agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(known, [-15_260_000, 0]);
    for word in ["N/A", "-", " 7", "\"1,5\""] {
        let error = series(&text(word), day).unwrap_err();
        assert!(error.to_string().contains("line 6"), "{word}: {error}");
    }
}

#[test]
fn another_location_area_and_day_are_refused() {
    let day = date(2026, 9, 23);
    let text = file(&[("", "09/23/2026 06:00:00", "21.5")]);
    for (from, to, told) in [
        ("SPPNORTH_HUB", "SPPSOUTH_HUB", "the answer says \"AEC, SPPSOUTH_HUB\""),
        (",SPP,", ",SWPW,", "in \"SPP\", the answer says"),
        ("09/23", "09/24", "asked for day \"2026-09-23\", the answer says \"2026-09-24\""),
        ("Settlement Location", "Location", "has no column Settlement Location"),
        ("GMTIntervalEnd", "IntervalEnd", "has no column GMTIntervalEnd"),
        (",LMP,", ",Price,", "has no column LMP"),
    ] {
        let error = series(&text.replace(from, to), day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
    let west = map::read(&text, day, ("SPPNORTH_HUB", "SWPW")).unwrap();
    assert_eq!(starts(&map::prices(&[west]).unwrap())[0].1, 999);
}

/// A price that is cut has none of the columns behind it.
#[test]
fn files_that_are_cut_are_refused() {
    let day = date(2026, 9, 23);
    let text = file(&[("", "09/23/2026 06:00:00", "21.5")]);
    let line = text.find("21.5").unwrap();
    for cut in line..line + 12 {
        let error = series(&text[..cut], day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
    }
    assert!(matches!(map::read("", day, ("A", "B")), Err(FeedError::Transient { .. })));
}
