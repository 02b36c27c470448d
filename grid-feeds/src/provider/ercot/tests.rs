//! Pages of the shape that ERCOT writes.

use planner::time::Timestamp;

use super::map;
use crate::feed::{FeedError, Series};

fn page(rows: &[String]) -> String {
    format!(
        r#"{{"_meta": {{"totalRecords": {}, "pageSize": 1000, "totalPages": 1, "currentPage": 1}},
            "report": {{"reportEmilId": "np4-190-cd"}},
            "fields": [{{"name": "deliveryDate", "label": "Delivery Date", "dataType": "DATE"}},
            {{"name": "hourEnding"}}, {{"name": "settlementPoint"}},
            {{"name": "settlementPointPrice"}}, {{"name": "DSTFlag"}}],
            "data": [{}], "links": {{}}}}"#,
        rows.len(),
        rows.join(",")
    )
}

fn row(date: &str, ending: &str, price: &str, flag: &str) -> String {
    format!(r#"["{date}", {ending}, "HB_NORTH", {price}, {flag}]"#)
}

fn series(text: &str) -> Result<Series, FeedError> {
    map::prices(&[map::read(text)?], "HB_NORTH")
}

/// Hours of UTC since midnight of `day`, and whole dollars.
fn hours(day: &str, series: &Series) -> Vec<(i64, i64)> {
    let midnight = Timestamp::parse(&format!("{day}T00:00:00Z")).unwrap();
    let pieces = series.agenda.pieces().iter();
    pieces
        .map(|it| ((it.span.start() - midnight).get() / 3600, it.value.value / 1_000_000))
        .collect()
}

/// A usual day of summer: the hour ending `01:00` begins at 05:00 UTC, the one ending `24:00` at 04:00 of the
/// next day, 28 hours after midnight.
#[test]
fn a_day_equals_what_is_split_by_hand() {
    let rows: Vec<String> = (1..=24)
        .map(|ending| {
            row("2026-09-23", &format!("\"{ending:02}:00\""), &(90 - ending).to_string(), "false")
        })
        .rev()
        .collect();
    let text = page(&rows);
    let mut by_hand: Vec<(i64, i64)> = rows
        .iter()
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches(['[', ']']).split(", ").collect();
            (cells[1][1..3].parse::<i64>().unwrap() + 4, cells[3].parse().unwrap())
        })
        .collect();
    by_hand.sort_unstable();
    let series = series(&text).unwrap();
    assert_eq!(hours("2026-09-23", &series), by_hand);
    assert_eq!((by_hand[0], by_hand[23]), ((5, 89), (28, 66)));
    assert_eq!(series.kind.to_string(), "price in USD/MWh");
}

/// 2026-03-08 has no hour ending `03:00`: `02:00` begins at 07:00 UTC, `04:00` at 08:00.
#[test]
fn the_day_of_23_hours_is_whole_and_an_hour_that_is_not_there_is_left_out() {
    let endings = (1..=24).filter(|ending| *ending != 3);
    let rows = |endings: &mut dyn Iterator<Item = i64>| -> Vec<String> {
        let row = |ending: i64| {
            row("2026-03-08", &format!("\"{ending:02}:00\""), &ending.to_string(), "false")
        };
        endings.map(row).collect()
    };
    let whole = series(&page(&rows(&mut endings.clone()))).unwrap();
    let known = hours("2026-03-08", &whole);
    assert_eq!(known[..3], [(6, 1), (7, 2), (8, 4)]);
    assert_eq!((known.len(), known[22]), (23, (28, 24)));
    let too_many = series(&page(&rows(&mut (1..=24)))).unwrap();
    assert_eq!(hours("2026-03-08", &too_many), known);
    assert_eq!(too_many.notes, ["there is no hour ending 03:00 on 2026-03-08: it is left out"]);
}

/// On 2025-11-02 the hour ending `02:00` comes at 06:00 UTC and, with the flag, at 07:00; in either order.
#[test]
fn the_hour_that_comes_twice_has_a_flag_the_second_time() {
    for (yes, no) in [("true", "false"), ("\"Y\"", "\"N\"")] {
        let mut rows: Vec<String> = (1..=24)
            .map(|ending| {
                row("2025-11-02", &format!("\"{ending:02}:00\""), &ending.to_string(), no)
            })
            .collect();
        rows.insert(1, row("2025-11-02", "\"02:00\"", "99", yes));
        let series = series(&page(&rows)).unwrap();
        let known = hours("2025-11-02", &series);
        assert_eq!(known[..4], [(5, 1), (6, 2), (7, 99), (8, 3)]);
        assert_eq!((known.len(), known[24]), (25, (29, 24)));
        assert!(series.agenda.covers(series.span().unwrap()));
    }
    let once = page(&[row("2025-11-03", "\"02:00\"", "99", "true")]);
    assert!(series(&once).unwrap_err().to_string().contains("comes only once"));
}

#[test]
fn columns_are_found_by_their_names_and_hours_may_be_numbers() {
    let text = r#"{"fields": [{"name": "DSTFlag"}, {"name": "SettlementPointPrice"},
        {"name": "deliveryHour"}, {"name": "settlementPointName"}, {"name": "deliveryDate"}],
        "data": [[false, "-12.34", 1, "hb_north", "2026-01-15"], [false, 0, "2", "HB_NORTH", "2026-01-15"]]}"#;
    let series = series(text).unwrap();
    let known: Vec<i64> = series.agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(known, [-12_340_000, 0]);
    let unnamed = text.replace("deliveryHour", "hour");
    let error = self::series(&unnamed).unwrap_err();
    assert!(error.to_string().contains("has no hourEnding"), "{error}");
}

#[test]
fn prices_that_are_missing_are_gaps_and_no_rows_are_not_published_yet() {
    let prices = ["21.5", "null", "\"\"", "7"];
    let rows: Vec<String> = (1..)
        .zip(prices)
        .map(|(ending, price)| row("2026-01-15", &format!("\"0{ending}:00\""), price, "false"))
        .collect();
    assert_eq!(hours("2026-01-15", &series(&page(&rows)).unwrap()), [(6, 21), (9, 7)]);
    let nothing = series(&page(&[])).unwrap_err();
    assert!(matches!(nothing, FeedError::NotPublished { .. }), "{nothing}");
}

#[test]
fn another_settlement_point_and_rows_that_are_none_are_refused() {
    let text = page(&[row("2026-01-15", "\"01:00\"", "21.5", "false")]);
    for (from, to, told) in [
        (
            "HB_NORTH",
            "HB_SOUTH",
            "asked for settlement point \"HB_NORTH\", the answer says \"HB_SOUTH\"",
        ),
        ("\"01:00\"", "\"00:00\"", "/data/0: has no hour of a day"),
        ("\"01:00\"", "\"25:00\"", "/data/0: has no hour of a day"),
        ("\"01:00\"", "\"01:30\"", "/data/0: has no hour of a day"),
        ("01-15", "13-15", "/data/0: has no hour of a day"),
        ("false]", "null]", "/data/0: has no hour of a day"),
        ("21.5", "\"n/a\"", "/data/0: has a price that is not a number"),
        (", false]", "]", "/data/0: has not a value for each column"),
    ] {
        let error = series(&text.replace(from, to)).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}
