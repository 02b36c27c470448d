//! Files of the shape that MISO writes.

use std::fmt::Write;

use jiff::civil::{Date, date};
use planner::time::Timestamp;

use super::map;
use crate::feed::{FeedError, Series};

const HUB: &str = "INDIANA.HUB";

/// A file of `day` with these hourly prices of the hub, between those of other nodes.
fn file(day: &str, prices: &[&str]) -> String {
    let mut text = format!(
        "Day Ahead Market ExPost LMPs\r\n{day}\r\n\r\n,,,All Hours-Ending are Eastern Standard Time (EST)\r\n\
         Node,Type,Value"
    );
    for hour in 1..=24 {
        write!(text, ",HE {hour}").unwrap();
    }
    text += "\r\n";
    let others = ["1"; 24].join(",");
    for node in ["AECI,Interface", "ALTW.WELLS1,Gennode", "INDIANA.HUB,Hub", "MINN.HUB,Hub"] {
        for value in ["LMP", "MCC", "MLC"] {
            let is_ours = node.starts_with(HUB) && value == "LMP";
            let row = if is_ours { &prices.join(",") } else { &others };
            write!(text, "{node},{value},{row}\r\n").unwrap();
        }
    }
    text
}

/// 10, 11, ... 33.
fn rising() -> Vec<String> {
    (10..34).map(|price| price.to_string()).collect()
}

fn of_rising(day: &str) -> String {
    file(day, &rising().iter().map(String::as_str).collect::<Vec<_>>())
}

fn series(text: &str, day: Date) -> Result<Series, FeedError> {
    map::prices(&[map::read(text, day, HUB)?])
}

/// The cells of the hub's line, each with the hour of UTC in which it begins: five later than its own.
fn by_hand(text: &str) -> Vec<(i64, i64)> {
    let line = text.lines().find(|line| line.starts_with("INDIANA.HUB,Hub,LMP,")).unwrap();
    let cells = line.rsplit(',').take(24).collect::<Vec<_>>().into_iter().rev();
    (5..).zip(cells).map(|(hour, cell)| (hour, cell.parse().unwrap())).collect()
}

fn hours_from(midnight: &str, series: &Series) -> Vec<(i64, i64)> {
    let midnight = Timestamp::parse(midnight).unwrap();
    let hours = |at: Timestamp| (at - midnight).get() / 3600;
    let pieces = series.agenda.pieces().iter();
    pieces.map(|piece| (hours(piece.span.start()), piece.value.value / 1_000_000)).collect()
}

/// Eastern Standard Time all year: the days of other clocks' changes have 24 hours too.
#[test]
fn each_day_has_24_hours_from_05_to_05_utc() {
    for (written, day) in [
        ("12/1/2025", date(2025, 12, 1)),
        ("03/08/2026", date(2026, 3, 8)),
        ("07/14/2026", date(2026, 7, 14)),
        ("11/01/2026", date(2026, 11, 1)),
    ] {
        let text = of_rising(written);
        let series = series(&text, day).unwrap();
        assert_eq!(hours_from(&format!("{day}T00:00:00Z"), &series), by_hand(&text), "{day}");
        assert_eq!(series.kind.to_string(), "price in USD/MWh");
    }
}

#[test]
fn prices_below_one_have_no_zero_before_the_point_and_empty_ones_are_gaps() {
    let mut prices = vec!["21.5"; 24];
    prices[..4].copy_from_slice(&[".6", "-.37", "", "0"]);
    let series = series(&file("07/14/2026", &prices), date(2026, 7, 14)).unwrap();
    let known: Vec<i64> = series.agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(known[..4], [600_000, -370_000, 0, 21_500_000]);
    assert_eq!(known.len(), 23);
    for word in ["-", ".", "-.", "N/A", "..5", ".-5", " 7", "+7"] {
        prices[5] = word;
        let text = file("07/14/2026", &prices);
        let error = map::prices(&[map::read(&text, date(2026, 7, 14), HUB).unwrap()]).unwrap_err();
        assert!(error.to_string().contains("HE 6 of 2026-07-14"), "{word}: {error}");
    }
}

#[test]
fn another_report_day_clock_and_node_are_refused() {
    let (text, day) = (of_rising("07/14/2026"), date(2026, 7, 14));
    for (from, to, told) in [
        ("ExPost", "ExAnte", "asked for report \"Day Ahead Market ExPost LMPs\""),
        (
            "07/14/2026",
            "07/15/2026",
            "asked for day \"2026-07-14\", the answer says \"2026-07-15\"",
        ),
        ("07/14/2026", "", "the answer says nothing"),
        ("Eastern Standard", "Eastern Prevailing", "Eastern Standard Time"),
        ("INDIANA.HUB", "INDIANA.AZ", "\"AECI, ALTW.WELLS1, INDIANA.AZ, MINN.HUB\""),
    ] {
        let error = series(&text.replace(from, to), day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

/// A 25th hour or another order would be other hours, and what is cut may end in a number that is one no more.
#[test]
fn other_columns_and_cut_files_are_refused() {
    let (text, day) = (of_rising("07/14/2026"), date(2026, 7, 14));
    for (from, to) in [
        (",HE 24", ",HE 24,HE 25"),
        ("HE 2,HE 3", "HE 3,HE 2"),
        ("Node,Type,Value", "Node,Value,Type"),
        ("Node,", "CPNode,"),
    ] {
        let error = series(&text.replace(from, to), day).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{from}: {error}");
    }
    let line = text.find("INDIANA.HUB,Hub,LMP").unwrap();
    let end = line + text[line..].find('\r').unwrap();
    for cut in line..=end {
        assert!(series(&text[..cut], day).is_err(), "{:?}", &text[line..cut]);
    }
    assert!(series(&text[..end + 2], day).is_ok());
    let nothing = map::read(" \r\n", day, HUB);
    assert!(matches!(nothing, Err(FeedError::Transient { .. })), "{nothing:?}");
}

/// A node that is there twice has the dearer price, whichever comes first.
#[test]
fn a_node_that_is_there_twice_has_the_dearer_price() {
    let text = of_rising("07/14/2026").replace("MINN.HUB,Hub", "INDIANA.HUB,Hub");
    let series = series(&text, date(2026, 7, 14)).unwrap();
    assert_eq!(series.agenda.pieces()[0].value.value, 10_000_000);
    assert_eq!(series.notes[0], "two values for 2026-07-14T05:00:00Z to 2026-07-14T06:00:00Z");
}
