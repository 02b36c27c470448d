//! Rows of the shape that the interface has, with its oddities.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use planner::time::{Seconds, Span, Timestamp};

use super::map::{intensities, read};
use crate::feed::{Factors, FeedError, RetryClass, Series};

const DAY: Date = date(2026, 3, 10);

/// In the order of [`rows`].
const KINDS: [&str; 5] = ["Geothermal", "Hydro", "Photovoltaic", "Thermal", "Wind"];

/// A row; `value` is JSON.
fn row(start: &str, offset: &str, kind: &str, value: &str) -> String {
    format!(
        r#"{{"date": "{start}", "date_tz": "Europe/Rome", "date_offset": "{offset}",
            "actual_generation_GWh": {value}, "primary_source": "{kind}"}}"#
    )
}

/// The rows of one time of [`DAY`] by its clock, with the values of all kinds.
fn rows(clock: &str, values: [&str; 5]) -> Vec<String> {
    let row = |(kind, value): (&str, &str)| {
        row(&format!("2026-03-10 {clock}:00"), "+01:00", kind, &format!("\"{value}\""))
    };
    KINDS.into_iter().zip(values).map(row).collect()
}

fn answer(rows: &[String]) -> String {
    format!(
        r#"{{"result": {{"message": "Operation completed for the following input. Date from: 10/03/2026, date to: 10/03/2026",
            "status": "Completed"}}, "actual_generation": [{}]}}"#,
        rows.join(",")
    )
}

/// All of what one answer says of a day.
fn of_day(text: &str, day: Date, factors: Factors) -> Result<Series, FeedError> {
    of_days(text, (day, day), factors)
}

/// All of what one answer says of the days from the first to the last.
fn of_days(text: &str, days: (Date, Date), factors: Factors) -> Result<Series, FeedError> {
    let all = Span::new(Timestamp::MIN, Timestamp::MAX).unwrap();
    intensities(&read(text, days)?, all, factors)
}

fn series(rows: &[String]) -> Result<Series, FeedError> {
    of_day(&answer(rows), DAY, Factors::Lifecycle)
}

fn values(series: &Series) -> Vec<(String, i64, i64)> {
    let pieces = series.agenda.pieces().iter();
    pieces
        .map(|piece| (piece.span.start().to_string(), piece.span.length().get(), piece.value.value))
        .collect()
}

/// 1 GW of the earth's heat, 5 of water, 4 of sun, 8 of heat, 2 of wind: (1 x 38 + 5 x 24 + 4 x 45 + 8 x 490 + 2 x 11) / 20 =
/// 4,280 / 20 = 214 g/kWh; direct, only heat emits: 8 x 370 / 20 = 148. Then 1 GW of heat and 1 of wind: (490 + 11) / 2 = 250.5,
/// and 370 / 2 = 185. 12:00 in Italy is 11:00 UTC in winter.
#[test]
fn the_mix_of_what_generates_is_the_intensity_and_thermal_power_counts_as_gas() {
    let mut all = rows("12:00", ["1.0", "5.0", "4.0", "8.0", "2.0"]);
    all.extend(rows("12:15", ["0", "0", "0", "1", "1.000"]));
    let known = series(&all).unwrap();
    assert_eq!(known.kind.to_string(), "average life-cycle CO2 in g/kWh");
    let noon = ("2026-03-10T11:00:00Z".to_owned(), 900, 214_000_000);
    let later = ("2026-03-10T11:15:00Z".to_owned(), 900, 250_500_000);
    assert_eq!(values(&known), [noon, later]);
    let thermal = "all thermal power counts as gas; self-consumption does not count";
    assert_eq!(known.notes, [thermal, "production in the zone; imports are not traced"]);
    all.reverse();
    assert_eq!(series(&all).unwrap(), known);
    let direct = of_day(&answer(&all), DAY, Factors::Direct).unwrap();
    let grams: Vec<i64> = values(&direct).into_iter().map(|(_, _, value)| value).collect();
    assert_eq!(grams, [148_000_000, 185_000_000]);
}

/// A whole day, whose quarter-hours `clock` tells as that of the clock and the offset. Thermal power grows by 125 MW each.
fn whole_day(day: Date, quarters: u32, clock: fn(u32) -> (u32, &'static str)) -> String {
    let mut all = Vec::new();
    for index in (0..quarters).rev() {
        let (quarter, offset) = clock(index);
        let start = format!("{day} {:02}:{:02}:00", quarter / 4, quarter % 4 * 15);
        let thermal = 8000 + index * 125;
        for (kind, megawatts) in KINDS.into_iter().zip([620, 4210, 1805, thermal, 2330]) {
            let value = format!("\"{}.{:03}\"", megawatts / 1000, megawatts % 1000);
            all.push(row(&start, offset, kind, &value));
        }
        all.push(row(&start, offset, "Self-consumption", "\"3.125\""));
    }
    answer(&all)
}

/// Reads the rows again by other means, and reckons each quarter-hour in megawatts: to half a millionth of a gram.
fn assert_same_by_hand(text: &str, known: &Series) {
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut by_start: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for row in document["actual_generation"].as_array().unwrap() {
        let word = |field: &str| row[field].as_str().unwrap().to_owned();
        let megawatts: i64 = word("actual_generation_GWh").replace('.', "").parse().unwrap();
        let grams = match &*word("primary_source") {
            "Geothermal" => 38,
            "Hydro" => 24,
            "Photovoltaic" => 45,
            "Thermal" => 490,
            "Wind" => 11,
            _ => continue,
        };
        let start: jiff::Timestamp =
            format!("{}{}", word("date"), word("date_offset")).parse().unwrap();
        let (emitted, power) = by_start.entry(start.as_second()).or_default();
        *emitted += megawatts * grams;
        *power += megawatts;
    }
    assert_eq!(known.agenda.pieces().len(), by_start.len());
    for (second, (emitted, power)) in by_start {
        let value = known.agenda.at(Timestamp::from_unix_seconds(second)).unwrap().value;
        assert!((value * power - emitted * 1_000_000).abs() * 2 <= power, "{second}");
    }
}

/// From 01:45 the clock goes to 03:00: 92 quarter-hours from 23:00 UTC of the day before.
#[test]
fn the_day_on_which_summer_time_begins_has_92_quarter_hours() {
    let day = date(2026, 3, 29);
    let clock = |index: u32| if index < 8 { (index, "+01:00") } else { (index + 4, "+02:00") };
    let text = whole_day(day, 92, clock);
    let known = of_day(&text, day, Factors::Lifecycle).unwrap();
    assert_same_by_hand(&text, &known);
    let span = known.span().unwrap();
    assert_eq!(span.start(), Timestamp::parse("2026-03-28T23:00:00Z").unwrap());
    assert_eq!(span.length(), Seconds::new(23 * 3600));
    assert!(known.agenda.covers(span));
}

/// From 02:45 the clock goes back to 02:00: 100 quarter-hours from 22:00 UTC of the day before. Offsets tell which of the two
/// hours is which.
#[test]
fn the_day_on_which_summer_time_ends_has_100_quarter_hours() {
    let day = date(2026, 10, 25);
    let clock = |index: u32| if index < 12 { (index, "+02:00") } else { (index - 4, "+01:00") };
    let text = whole_day(day, 100, clock);
    let known = of_day(&text, day, Factors::Lifecycle).unwrap();
    assert_same_by_hand(&text, &known);
    let span = known.span().unwrap();
    assert_eq!(span.start(), Timestamp::parse("2026-10-24T22:00:00Z").unwrap());
    assert_eq!(span.length(), Seconds::new(25 * 3600));
    assert!(known.agenda.covers(span));
}

/// 1 GW of heat and 1 of sun are (490 + 45) / 2 = 267.5 g/kWh.
#[test]
fn a_day_of_full_hours_is_of_hours_and_an_hour_alone_does_not_tell() {
    let mix = ["0", "0", "1", "1", "0"];
    let first = rows("00:00", mix);
    let error = series(&first).unwrap_err();
    assert_eq!(error.retry(), RetryClass::NotYet, "{error}");
    let hours = [first.clone(), rows("01:00", mix)].concat();
    let expected = ["2026-03-09T23:00:00Z", "2026-03-10T00:00:00Z"];
    let expected = expected.map(|start| (start.to_owned(), 3600, 267_500_000));
    assert_eq!(values(&series(&hours).unwrap()), expected);
    let quarters = [first, rows("00:15", mix)].concat();
    assert!(values(&series(&quarters).unwrap()).iter().all(|(_, length, _)| *length == 900));
}

/// March 10 is of quarter-hours, two of which are told. Of March 11 there are only the first full hours: while they are fewer than
/// the 23 of a whole day they may be quarter-hours of a day that is partly published, as 00:00 and 01:00 may.
#[test]
fn a_few_full_hours_beside_a_day_of_quarter_hours_are_a_gap() {
    let mix = ["0", "0", "1", "1", "0"];
    let quarters = [rows("12:00", mix), rows("12:15", mix)].concat();
    let note = "1 days of few full hours do not tell their step and are gaps";
    for (count, hours) in [(1_usize, 0), (2, 0), (22, 0), (23, 23), (24, 24)] {
        let next = (0..count).flat_map(|hour| rows(&format!("{hour:02}:00"), mix));
        let next = next.map(|row| row.replace("2026-03-10", "2026-03-11"));
        let all: Vec<String> = quarters.iter().cloned().chain(next).collect();
        let days = (DAY, date(2026, 3, 11));
        let known = of_days(&answer(&all), days, Factors::Lifecycle).unwrap();
        let lengths: Vec<i64> = values(&known).into_iter().map(|(_, length, _)| length).collect();
        assert_eq!(lengths, [vec![900_i64; 2], vec![3600; hours]].concat(), "{count}");
        let is_told = known.notes.iter().any(|it| it == note);
        assert_eq!(is_told, hours == 0, "{count}: {:?}", known.notes);
    }
}

#[test]
fn what_producers_consume_themselves_does_not_count_and_pumping_is_refused() {
    let mix = rows("12:15", ["1.0", "5.0", "4.0", "8.0", "2.0"]);
    let of_kind = |kind: &str| {
        let other = row("2026-03-10 12:15:00", "+01:00", kind, "\"-7.5\"");
        series(&[mix.clone(), vec![other]].concat())
    };
    assert_eq!(values(&of_kind("Self-consumption").unwrap())[0].2, 214_000_000);
    assert_eq!(values(&of_kind("SELF-CONSUMPTION").unwrap())[0].2, 214_000_000);
    for kind in ["Pumping-consumption", "Net Foreign Exchange", "Nuclear", ""] {
        let error = of_kind(kind).unwrap_err().to_string();
        assert!(error.contains("/actual_generation/5/primary_source"), "{error}");
        assert!(error.contains("is no known kind; there are Geothermal, Hydro"), "{error}");
    }
}

/// Water below zero counts as none: (8 x 490 + 2 x 11) / 10 = 394.2 g/kWh.
#[test]
fn power_below_zero_counts_as_none() {
    let mix = rows("12:15", ["0", "-0.4", "0", "8", "2"]);
    assert_eq!(values(&series(&mix).unwrap())[0].2, 394_200_000);
}

#[test]
fn a_time_without_a_value_of_one_kind_is_a_gap() {
    let mix = ["1.0", "5.0", "4.0", "8.0", "2.0"];
    let whole = [rows("12:00", mix), rows("12:15", mix), rows("12:30", mix)].concat();
    let text = answer(&whole);
    let wind = text.rfind("\"2.0\"").unwrap();
    for nothing in ["null", "\"\"", "\"null\""] {
        let text = format!("{}{nothing}{}", &text[..wind], &text[wind + 5..]);
        let known = of_day(&text, DAY, Factors::Lifecycle).unwrap();
        assert_eq!(values(&known).len(), 2, "{nothing}");
        assert_eq!(known.notes[2], "1 spans lack a kind of generation and are gaps");
    }
    let without_wind: Vec<String> = whole.into_iter().filter(|row| !row.contains("Wind")).collect();
    let error = series(&without_wind).unwrap_err();
    assert_eq!(error.retry(), RetryClass::NotYet);
    assert_eq!(error.to_string(), "not published yet: no value of Wind is there");
}

/// Values are revised for days. Of two in one answer the larger counts: 9 GW of heat and 1 of wind are (9 x 490 + 11) / 10 =
/// 442.1 g/kWh, 8 and 1 are (8 x 490 + 11) / 9 = 436.777...
#[test]
fn a_revision_is_read_as_the_supplier_says_it_now() {
    let before = rows("12:15", ["0", "0", "0", "8", "1"]);
    let after = rows("12:15", ["0", "0", "0", "9", "1"]);
    assert_eq!(values(&series(&before).unwrap())[0].2, 436_777_778);
    assert_eq!(values(&series(&after).unwrap())[0].2, 442_100_000);
    assert_eq!(values(&series(&[before, after].concat()).unwrap())[0].2, 442_100_000);
}

#[test]
fn another_day_zone_offset_unit_or_field_is_refused() {
    let whole = answer(&rows("12:15", ["1.0", "5.0", "4.0", "8.0", "2.0"]));
    for (from, to, told) in [
        ("2026-03-10 12", "2026-03-11 12", "asked for days from 2026-03-10 to 2026-03-10"),
        ("2026-03-10 12", "10/03/2026 12", "is no quarter-hour of Europe/Rome"),
        ("12:15:00", "12:20:00", "/actual_generation/0/date: \"2026-03-10 12:20:00\""),
        ("12:15:00", "12:15", "is no quarter-hour of Europe/Rome"),
        ("+01:00", "+02:00", "with the offset \"+02:00\" is no quarter-hour of Europe/Rome"),
        ("+01:00", "Z", "is no quarter-hour of Europe/Rome"),
        ("Europe/Rome", "UTC", "/actual_generation/0/date_tz: asked for time zone"),
        ("\"date_tz\": \"Europe/Rome\",", "", "asked for time zone"),
        ("actual_generation_GWh", "actual_generation_MWh", "unknown field"),
        ("\"date_tz\"", "\"zone\": \"North\", \"date_tz\"", "unknown field `zone`"),
        ("\"5.0\"", "\"5,0\"", "/actual_generation/1/actual_generation_GWh: \"5,0\""),
        ("\"5.0\"", "\"5,000\"", "\"5,000\" is not a number"),
        ("\"5.0\"", "\"n/a\"", "\"n/a\" is not a number"),
        ("Completed", "Failed", "/result/status: \"Failed\" is not \"Completed\""),
    ] {
        let text = whole.replace(from, to);
        assert_ne!(text, whole, "{from}");
        let error = of_day(&text, DAY, Factors::Lifecycle).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{told}: {error}");
    }
}

/// In spring no clock of Italy shows 02:30, in autumn it does so twice.
#[test]
fn a_time_that_never_is_is_refused() {
    let is_read = |start: &str, offset: &str, day: Date| {
        let text = answer(&[row(start, offset, "Wind", "\"1\"")]);
        read(&text, (day, day)).is_ok()
    };
    for offset in ["+01:00", "+02:00"] {
        assert!(!is_read("2026-03-29 02:30:00", offset, date(2026, 3, 29)), "{offset}");
        assert!(is_read("2026-10-25 02:30:00", offset, date(2026, 10, 25)), "{offset}");
    }
}

#[test]
fn an_answer_without_rows_is_not_published_yet() {
    for text in [
        answer(&[]),
        r#"{"result": {"message": "No results found", "status": "Error"}}"#.to_owned(),
        r#"{"result": {"status": "Completed"}, "actual_generation": null}"#.to_owned(),
    ] {
        let error = read(&text, (DAY, DAY)).unwrap_err();
        assert_eq!(error.retry(), RetryClass::NotYet, "{error}");
    }
    for text in ["", "{}", "[]", "<html>", r#"{"result": {"status": "Error"}}"#] {
        let error = read(text, (DAY, DAY)).unwrap_err();
        assert_eq!(error.retry(), RetryClass::Backoff, "{text}: {error}");
    }
}

/// What is beyond a terawatt is a gap.
#[test]
fn a_power_that_cannot_be_is_a_gap() {
    let mut all = rows("12:15", ["0", "0", "0", "8", "1"]);
    all.extend(rows("12:30", ["0", "0", "0", "1001", "1"]));
    let known = series(&all).unwrap();
    assert_eq!(values(&known).len(), 1);
    assert!(known.notes.iter().any(|note| note.contains("cannot be")), "{:?}", known.notes);
}
