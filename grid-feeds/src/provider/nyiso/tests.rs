//! Files of the recorded shape, of days of 23, 24 and 25 hours.

use std::fmt::Write;

use jiff::civil::{Date, date};

use super::map::{prices, read};
use crate::feed::{FeedError, Series};

const HEADER: &str = "\"Time Stamp\",\"Name\",\"PTID\",\"LBMP ($/MWHr)\",\
    \"Marginal Cost Losses ($/MWHr)\",\"Marginal Cost Congestion ($/MWHr)\"\r\n";

/// The hours of a day, in order, of three zones. The price of N.Y.C. is 10 and its place in the file,
/// so that the first hour costs 10.25 and the second 11.25.
fn file(day: Date, hours: &[i8]) -> String {
    let mut text = HEADER.to_owned();
    let stamp = day.strftime("%m/%d/%Y").to_string();
    for (index, hour) in hours.iter().enumerate() {
        for (name, point, base) in
            [("CAPITL", 61757, 500), ("N.Y.C.", 61761, 10), ("PJM", 61847, 900)]
        {
            let price = base + index;
            let stamp = format!("{stamp} {hour:02}:00");
            write!(text, "\"{stamp}\",\"{name}\",{point},{price}.25,1.10,-0.50\r\n").unwrap();
        }
    }
    text
}

fn ordinary() -> Vec<i8> {
    (0..24).collect()
}

fn series(text: &str, day: Date) -> Result<Series, FeedError> {
    prices(vec![read(text, day, "N.Y.C.")?])
}

fn starts(series: &Series) -> Vec<(String, i64)> {
    let pieces = series.agenda.pieces().iter();
    pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect()
}

/// Until 8 March 2026 midnight in New York is 05:00 UTC.
#[test]
fn stamps_are_beginnings_of_hours_in_new_york() {
    let day = date(2026, 3, 6);
    let series = series(&file(day, &ordinary()), day).unwrap();
    let starts = starts(&series);
    assert_eq!(starts.len(), 24);
    assert_eq!(starts[0], ("2026-03-06T05:00:00Z".to_owned(), 10_250_000));
    assert_eq!(starts[23], ("2026-03-07T04:00:00Z".to_owned(), 33_250_000));
    assert_eq!(series.kind.to_string(), "price in USD/MWh");
}

/// At 02:00 on 8 March 2026 the clock is put forward: 01:00 is 06:00 UTC, 03:00 is 07:00 UTC.
#[test]
fn the_day_of_23_hours_has_no_gap() {
    let day = date(2026, 3, 8);
    let hours: Vec<i8> = (0..24).filter(|hour| *hour != 2).collect();
    let series = series(&file(day, &hours), day).unwrap();
    let starts = starts(&series);
    assert_eq!(starts.len(), 23);
    assert_eq!(starts[1], ("2026-03-08T06:00:00Z".to_owned(), 11_250_000));
    assert_eq!(starts[2], ("2026-03-08T07:00:00Z".to_owned(), 12_250_000));
    assert!(series.agenda.covers(series.span().unwrap()));
    let error = read(&file(day, &ordinary()), day, "N.Y.C.").unwrap_err().to_string();
    assert!(error.contains("2026-03-08T02:00:00 is no hour of America/New_York"), "{error}");
}

/// At 02:00 on 1 November 2026 the clock is put back: 01:00 is 05:00 UTC first, then 06:00 UTC.
#[test]
fn the_hour_that_comes_twice_is_the_summers_first() {
    let day = date(2026, 11, 1);
    let mut hours = ordinary();
    hours.insert(1, 1);
    let series = series(&file(day, &hours), day).unwrap();
    let starts = starts(&series);
    assert_eq!(starts.len(), 25);
    assert_eq!(starts[1], ("2026-11-01T05:00:00Z".to_owned(), 11_250_000));
    assert_eq!(starts[2], ("2026-11-01T06:00:00Z".to_owned(), 12_250_000));
    assert_eq!(starts[3], ("2026-11-01T07:00:00Z".to_owned(), 13_250_000));
    assert!(series.agenda.covers(series.span().unwrap()));
}

#[test]
fn an_hour_of_two_that_cannot_be_told_apart_is_a_gap() {
    let day = date(2026, 11, 1);
    let mut reversed = ordinary();
    reversed.insert(1, 1);
    reversed.reverse();
    for hours in [ordinary(), reversed] {
        let series = series(&file(day, &hours), day).unwrap();
        assert_eq!(starts(&series).len(), 23);
        let note = "2026-11-01T01:00:00 comes twice, and which is which is not told".to_owned();
        assert!(series.notes.contains(&note), "{:?}", series.notes);
    }
}

#[test]
fn the_empty_price_of_the_first_of_two_hours_leaves_the_second_where_it_is() {
    let day = date(2026, 11, 1);
    let mut hours = ordinary();
    hours.insert(1, 1);
    let text = file(day, &hours).replace("61761,11.25,", "61761,,");
    let starts = starts(&series(&text, day).unwrap());
    assert_eq!(starts.len(), 24);
    assert_eq!(starts[1], ("2026-11-01T06:00:00Z".to_owned(), 12_250_000));
}

#[test]
fn cells_with_and_without_quotes_and_negative_prices_are_read() {
    let day = date(2026, 3, 6);
    let text = file(day, &ordinary()).replace('"', "").replace("61761,10.25,", "61761,-4.75,");
    // The last column was cut short in old files.
    let text = text.replace("Congestion ($/MWHr)", "Congestion ($/MWH");
    let starts = starts(&series(&text, day).unwrap());
    assert_eq!((starts.len(), starts[0].1), (24, -4_750_000));
    assert!(series(&text.replace("61761,11.25,", "61761,n/a,"), day).is_err());
}

#[test]
fn of_an_ordinary_hour_that_is_said_twice_the_dearer_price_counts() {
    let day = date(2026, 3, 6);
    let mut hours = ordinary();
    hours.insert(5, 4);
    let series = series(&file(day, &hours), day).unwrap();
    assert_eq!(starts(&series)[4].1, 15_250_000);
    assert!(series.notes[0].contains("two values for"), "{:?}", series.notes);
}

#[test]
fn another_zone_day_or_unit_is_refused() {
    let day = date(2026, 3, 6);
    let text = file(day, &ordinary());
    let other = read(&text, day, "LONGIL").unwrap_err().to_string();
    assert!(other.contains("zone \"LONGIL\", the answer says \"CAPITL, N.Y.C., PJM\""), "{other}");
    let other = read(&text, date(2026, 3, 7), "N.Y.C.").unwrap_err().to_string();
    assert!(other.contains("day \"2026-03-07\", the answer says \"2026-03-06\""), "{other}");
    let kilowatt_hours = text.replace("LBMP ($/MWHr)", "LBMP ($/kWHr)");
    let other = read(&kilowatt_hours, day, "N.Y.C.").unwrap_err().to_string();
    assert!(other.contains("asked for unit \"LBMP ($/MWHr)\""), "{other}");
    let other = text.replacen("\"N.Y.C.\",61761", "\"N.Y.C.\",61844", 1);
    let error = read(&other, day, "N.Y.C.").unwrap_err().to_string();
    assert!(error.contains("more than one PTID"), "{error}");
}

#[test]
fn a_file_that_is_cut_off_is_refused_wherever_it_ends() {
    let day = date(2026, 3, 6);
    let text = file(day, &ordinary());
    let last = text.rfind("\"03/06/2026 23:00\",\"N.Y.C.\"").unwrap();
    for end in (1..last).step_by(7) {
        let error = read(&text[..end], day, "N.Y.C.").unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{end}: {error}");
    }
    assert!(matches!(read(" \n", day, "N.Y.C."), Err(FeedError::Transient { .. })));
    assert!(read("<html><body>Maintenance</body></html>", day, "N.Y.C.").is_err());
}

/// A day and the same day from the text by splitting its lines at commas.
#[test]
fn a_day_equals_an_independent_parse() {
    let day = date(2026, 7, 1);
    let text = file(day, &ordinary());
    let series = series(&text, day).unwrap();
    let lines = text.lines().filter(|line| line.contains("\"N.Y.C.\""));
    let expected: Vec<(String, i64)> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            // In July clocks in New York are four hours behind UTC.
            let hour = cells[0][12..14].parse::<i64>().unwrap() + 4;
            let start = format!("2026-07-{:02}T{:02}:00:00Z", 1 + hour / 24, hour % 24);
            (start, cells[3].replace('.', "").parse::<i64>().unwrap() * 10_000)
        })
        .collect();
    assert_eq!(starts(&series), expected);
}
