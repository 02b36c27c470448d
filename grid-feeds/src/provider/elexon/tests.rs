//! Rows of the recorded shapes.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::map::{FuelDataset, intensities, prices};
use crate::feed::{Factors, FeedError, KnownValue, Series};
use planner::time::Timestamp;

/// The last half-hours of a day, newest first, and the index that trades nothing.
const MARKET_INDEX: &str = r#"{"metadata": {"datasets": ["MID"]}, "data": [
    {"startTime": "2026-03-01T12:30:00Z", "dataProvider": "N2EXMIDP", "settlementDate": "2026-03-01",
     "settlementPeriod": 26, "price": 0.00, "volume": 0.000},
    {"startTime": "2026-03-01T12:30:00Z", "dataProvider": "APXMIDP", "settlementDate": "2026-03-01",
     "settlementPeriod": 26, "price": -4.25, "volume": 1320.450},
    {"startTime": "2026-03-01T12:00:00Z", "dataProvider": "N2EXMIDP", "settlementDate": "2026-03-01",
     "settlementPeriod": 25, "price": 0.00, "volume": 0.000},
    {"startTime": "2026-03-01T12:00:00Z", "dataProvider": "APXMIDP", "settlementDate": "2026-03-01",
     "settlementPeriod": 25, "price": 61.37, "volume": 2216.000}]}"#;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn values(series: &Series) -> Vec<i64> {
    series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
}

fn known(series: &Series, text: &str) -> Option<i64> {
    series.agenda.at(at(text)).map(|KnownValue { value, .. }| value)
}

#[test]
fn the_index_that_is_asked_for_counts_and_the_other_is_left_out() {
    let series = prices(MARKET_INDEX, "APXMIDP").unwrap();
    assert_eq!(values(&series), [61_370_000, -4_250_000]);
    assert_eq!(series.kind.to_string(), "price in GBP/MWh");
    assert_eq!(series.notes, ["2 rows of other indices are left out"]);
    let lower = prices(&MARKET_INDEX.replace("APXMIDP", "apxmidp "), "APXMIDP").unwrap();
    assert_eq!(lower.agenda, series.agenda);
}

#[test]
fn without_trades_there_is_no_price_and_a_price_of_zero_is_one() {
    let none = prices(MARKET_INDEX, "N2EXMIDP");
    assert!(matches!(none, Err(FeedError::NotPublished { .. })), "{none:?}");
    let one = MARKET_INDEX.replace("2216.000", "0");
    let series = prices(&one, "APXMIDP").unwrap();
    assert_eq!(values(&series), [-4_250_000]);
    let told = "1 half-hours without trades have no price and are gaps";
    assert!(series.notes.iter().any(|it| it == told), "{:?}", series.notes);
    let free = MARKET_INDEX.replace("61.37", "0.00");
    assert_eq!(values(&prices(&free, "APXMIDP").unwrap()), [0, -4_250_000]);
}

#[test]
fn nulls_are_gaps_and_words_are_refused() {
    let null = prices(&MARKET_INDEX.replace("61.37", "null"), "APXMIDP").unwrap();
    assert_eq!(values(&null), [-4_250_000]);
    let unknown_volume = prices(&MARKET_INDEX.replace("2216.000", "null"), "APXMIDP").unwrap();
    assert_eq!(values(&unknown_volume), [61_370_000, -4_250_000]);
    let word = prices(&MARKET_INDEX.replace("61.37", "\"n/a\""), "APXMIDP").unwrap_err();
    assert!(word.to_string().contains("2026-03-01T12:00:00Z"), "{word}");
    let time = prices(&MARKET_INDEX.replace("T12:30:00Z", "T12:30"), "APXMIDP").unwrap_err();
    assert!(time.to_string().contains("is no time"), "{time}");
}

#[test]
fn nothing_but_another_index_is_refused_and_an_empty_list_is_not_published_yet() {
    let other = prices(&MARKET_INDEX.replace("APXMIDP", "ELSEWHERE"), "APXMIDP").unwrap_err();
    assert!(other.to_string().contains("asked for data provider \"APXMIDP\""), "{other}");
    for text in ["{\"data\": []}", "[]"] {
        let nothing = prices(text, "APXMIDP");
        assert!(matches!(nothing, Err(FeedError::NotPublished { .. })), "{text}: {nothing:?}");
    }
    assert!(matches!(prices("", "APXMIDP"), Err(FeedError::Transient { .. })));
    assert!(matches!(prices("{}", "APXMIDP"), Err(FeedError::Payload { .. })));
}

/// A day in London with its number of half-hours, from its midnight in UTC, as a text: prices are 10 times the period.
fn day(date: &str, midnight: &str, periods: i64) -> String {
    let mut rows = String::new();
    for period in 1..=periods {
        let start = at(midnight) + planner::time::Seconds::new((period - 1) * 1800);
        let comma = if period == 1 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            rows,
            "{comma}{{\"startTime\":\"{start}\",\"dataProvider\":\"APXMIDP\",\"settlementDate\":\"{date}\",\
             \"settlementPeriod\":{period},\"price\":{period}0.5,\"volume\":100}}"
        );
    }
    format!("{{\"data\":[{rows}]}}")
}

/// 2026-03-29 has 46 half-hours and begins at 00:00 UTC; 2026-10-25 has 50 and begins at 23:00 UTC of the day before.
#[test]
fn days_of_46_48_and_50_periods_are_whole() {
    for (date, midnight, end, periods) in [
        ("2026-03-29", "2026-03-29T00:00:00Z", "2026-03-29T23:00:00Z", 46),
        ("2026-06-15", "2026-06-14T23:00:00Z", "2026-06-15T23:00:00Z", 48),
        ("2026-10-25", "2026-10-24T23:00:00Z", "2026-10-26T00:00:00Z", 50),
    ] {
        let text = day(date, midnight, periods);
        let series = prices(&text, "APXMIDP").unwrap();
        assert_eq!(series.notes, [""; 0], "{date}");
        let span = series.span().unwrap();
        assert_eq!((span.start(), span.end()), (at(midnight), at(end)), "{date}");
        assert!(series.agenda.covers(span), "{date}");
        // Each row again, split by its field names: the price in tenths, times 100,000.
        let field = |row: &str, name: &str| {
            let from = row.split_once(&format!("\"{name}\":")).unwrap().1;
            from.split([',', '}']).next().unwrap().trim_matches('"').to_owned()
        };
        for row in text.split("{\"start").skip(1).map(|row| format!("\"start{row}")) {
            let tenths: i64 = field(&row, "price").replace('.', "").parse().unwrap();
            assert_eq!(known(&series, &field(&row, "startTime")), Some(tenths * 100_000), "{row}");
        }
    }
}

/// On 2026-06-15 period 25 begins at 11:00 UTC: an answer that counts from midnight in UTC says 12:00.
#[test]
fn a_time_that_is_not_its_period_is_a_gap() {
    let text = MARKET_INDEX.replace("2026-03-01", "2026-06-15");
    let none = prices(&text, "APXMIDP");
    assert!(matches!(none, Err(FeedError::NotPublished { .. })), "{none:?}");
    for (from, to) in [
        ("\"settlementPeriod\": 25", "\"settlementPeriod\": 24"),
        ("T12:00:00Z", "T12:10:00Z"),
        (
            "\"2026-03-01\",\n     \"settlementPeriod\": 25",
            "\"2026-02-28\",\n     \"settlementPeriod\": 73",
        ),
        (
            "\"2026-03-01\",\n     \"settlementPeriod\": 25",
            "\"1 March\",\n     \"settlementPeriod\": 25",
        ),
    ] {
        let text = MARKET_INDEX.replace(from, to);
        assert_ne!(text, MARKET_INDEX, "{from}");
        let series = prices(&text, "APXMIDP").unwrap();
        assert_eq!(values(&series), [-4_250_000], "{to}");
        let told = "1 half-hours whose time and settlement period disagree are gaps";
        assert!(series.notes.iter().any(|it| it == told), "{:?}", series.notes);
    }
    let without = MARKET_INDEX.replace("\"settlementPeriod\": 25,", "");
    assert_eq!(values(&prices(&without, "APXMIDP").unwrap()), [61_370_000, -4_250_000]);
}

/// Five minutes of generation as the stream says them: compact, no envelope.
fn rows(start: &str, published: &str, powers: &[(&str, i64)]) -> String {
    let row = |&(fuel, power): &(&str, i64)| {
        format!(
            "{{\"dataset\":\"FUELINST\",\"publishTime\":\"{published}\",\"startTime\":\"{start}\",\
             \"settlementDate\":\"2026-03-01\",\"settlementPeriod\":25,\"fuelType\":\"{fuel}\",\
             \"generation\":{power}}}"
        )
    };
    powers.iter().map(row).collect::<Vec<_>>().join(",")
}

const NOON: &str = "2026-03-01T12:00:00Z";
const LATER: &str = "2026-03-01T12:05:00Z";
const LAST: &str = "2026-03-01T12:10:00Z";

fn co2(rows: &[String]) -> Result<Series, FeedError> {
    intensities(&format!("[{}]", rows.join(",")), FuelDataset::Fuelinst, Factors::Lifecycle)
}

/// 600 MW of gas at 490 and 400 MW of nuclear power at 12 are 298.8 g/kWh; pumped storage and interconnectors do not count,
/// nor does what a coal station uses itself.
#[test]
fn storage_and_interconnectors_do_not_count() {
    let powers = [
        ("CCGT", 500),
        ("OCGT", 100),
        ("NUCLEAR", 400),
        ("PS", -1315),
        ("INTFR", 900),
        ("COAL", -3),
    ];
    let series = co2(&[rows(NOON, LATER, &powers)]).unwrap();
    assert_eq!(values(&series), [298_800_000]);
    assert_eq!(series.issued_at, Some(at(LATER)));
    assert_eq!(series.kind.to_string(), "average life-cycle CO2 in g/kWh");
    let left_out = "1 flows over interconnectors are left out";
    assert_eq!(series.notes, [left_out, "production in the zone; imports are not traced"]);
    assert_eq!(series.agenda.pieces()[0].span.length().get(), 300);
    // An interconnector that is new has such a name too.
    let new = co2(&[rows(NOON, LATER, &[("CCGT", 1), ("INTNEW", 900)])]).unwrap();
    assert_eq!(values(&new), [490_000_000]);
}

/// Direct: 370 g/kWh of gas, 760 of coal, 406 of oil, 575 of what is not told, none of the others: 2111 / 8.
#[test]
fn each_fuel_has_its_factor() {
    let all = ["CCGT", "COAL", "OIL", "OTHER", "NUCLEAR", "WIND", "NPSHYD", "BIOMASS"];
    let text = format!("[{}]", rows(NOON, LATER, &all.map(|fuel| (fuel, 10))));
    let series = intensities(&text, FuelDataset::Fuelinst, Factors::Direct).unwrap();
    assert_eq!(values(&series), [263_875_000]);
    let strange = co2(&[rows(NOON, LATER, &[("CCGT", 1), ("FUSION", 1)])]).unwrap();
    let told = "fuel \"FUSION\" is not known and counts as other";
    assert!(strange.notes.iter().any(|it| it == told), "{:?}", strange.notes);
}

#[test]
fn a_row_that_was_published_later_counts_wherever_it_stands() {
    let first = rows(NOON, LATER, &[("CCGT", 900), ("WIND", 100)]);
    let second = rows(NOON, LAST, &[("CCGT", 100)]);
    // 100 MW at 490 and 100 MW at 11.
    for order in [[first.clone(), second.clone()], [second, first]] {
        assert_eq!(values(&co2(&order).unwrap()), [250_500_000]);
    }
}

#[test]
fn a_fuel_that_is_missing_or_null_makes_a_gap() {
    let whole = rows(NOON, LATER, &[("CCGT", 100), ("WIND", 100)]);
    let partial = rows(LATER, LAST, &[("WIND", 100)]);
    let null = rows(LATER, LAST, &[("CCGT", 77), ("WIND", 100)]).replace("77", "null");
    for incomplete in [partial, null] {
        let series = co2(&[incomplete, whole.clone()]).unwrap();
        assert_eq!(values(&series), [250_500_000]);
        assert_eq!(series.agenda.pieces()[0].span.start(), at(NOON));
        assert_eq!(series.notes[1], "1 spans lack a kind of generation and are gaps");
    }
}

#[test]
fn rows_between_the_steps_are_left_out() {
    let whole = rows(NOON, LATER, &[("CCGT", 100)]);
    let between = rows("2026-03-01T12:02:30Z", LATER, &[("CCGT", 900)]);
    let series = co2(&[whole, between]).unwrap();
    assert_eq!(values(&series), [490_000_000]);
    assert_eq!(series.notes[0], "1 rows that do not begin at a step of the data set are left out");
}

/// The text of half-hours again, by start: gas at 490 and wind at 11.
#[test]
fn half_hours_are_their_own_data_set() {
    let half_hours: Vec<String> = (0..48_i64)
        .map(|index| {
            let start = at(NOON) + planner::time::Seconds::new(index * 1800);
            let powers = [("CCGT", 100 + index), ("WIND", 300 - index)];
            rows(
                &start.to_string(),
                &(start + planner::time::Seconds::new(1800)).to_string(),
                &powers,
            )
        })
        .collect();
    let text = format!("[{}]", half_hours.join(","));
    let other = intensities(&text, FuelDataset::Fuelhh, Factors::Lifecycle).unwrap_err();
    assert!(other.to_string().contains("asked for data set \"FUELHH\""), "{other}");
    let text = text.replace("FUELINST", "FUELHH");
    let series = intensities(&text, FuelDataset::Fuelhh, Factors::Lifecycle).unwrap();
    let mut again: BTreeMap<String, i64> = BTreeMap::new();
    for row in text.trim_matches(['[', ']']).split("},{") {
        let field = |name: &str| {
            let from = row.split_once(&format!("\"{name}\":")).unwrap().1;
            from.split([',', '}']).next().unwrap().trim_matches('"').to_owned()
        };
        let grams = if field("fuelType") == "CCGT" { 490 } else { 11 };
        *again.entry(field("startTime")).or_default() +=
            grams * field("generation").parse::<i64>().unwrap();
    }
    assert_eq!((again.len(), series.agenda.pieces().len()), (48, 48));
    for (start, emitted) in again {
        // All powers add up to 400 MW.
        assert_eq!(known(&series, &start), Some(emitted * 1_000_000 / 400), "{start}");
    }
}

#[test]
fn streams_and_objects_have_the_rows() {
    let list = format!("[{}]", rows(NOON, LATER, &[("CCGT", 100)]));
    let read = |text: &str| intensities(text, FuelDataset::Fuelinst, Factors::Lifecycle);
    assert_eq!(read(&format!("{{\"data\": {list}}}")).unwrap(), read(&list).unwrap());
    assert!(matches!(read("[]"), Err(FeedError::NotPublished { .. })));
    assert!(matches!(read("{}"), Err(FeedError::Payload { .. })));
    assert!(matches!(read(&list[..list.len() / 2]), Err(FeedError::Payload { .. })));
}
