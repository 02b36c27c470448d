use planner::decimal::parse_millionths;
use planner::time::{Seconds, Timestamp};

use super::map::{PriceColumn, intensities, prices, read};
use super::wire::{EmissionRecord, PriceRecord};
use crate::feed::{FeedError, Quality, Quantity, Series};
use crate::http::{Http, Timeouts};
use crate::provider::Declaration;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// What the records of one day look like, the newest first: `count` of `step` seconds from `start`; the
/// price in euros is the number of the record, that in kroner 7.46 times it.
fn day(dataset: &str, start: &str, step: i64, count: i64) -> String {
    let (time, price) = match dataset {
        "Elspotprices" => ("Hour", "SpotPrice"),
        _ => ("Time", "DayAheadPrice"),
    };
    let record = |index: i64| {
        let utc = (at(start) + Seconds::new(index * step)).to_string().replace('Z', "");
        let kroner = format!("{}.{:02}", index * 746 / 100, index * 746 % 100);
        format!(
            r#"{{"{time}UTC":"{utc}","{time}DK":"local","PriceArea":"DK1",
                "{price}EUR":{index}.000000,"{price}DKK":{kroner}}}"#
        )
    };
    let records: Vec<String> = (0..count).rev().map(record).collect();
    let filters = r#""{\"PriceArea\":[\"DK1\"]}""#;
    format!(
        r#"{{"total":{count},"filters":{filters},"limit":10000,"dataset":"{dataset}","records":[{}]}}"#,
        records.join(",")
    )
}

fn priced(text: &str, dataset: &str, column: PriceColumn) -> Result<Series, FeedError> {
    prices(&read::<PriceRecord>(text, dataset)?.records, "DK1", column)
}

fn values(series: &Series) -> Vec<(Timestamp, i64, i64)> {
    let pieces = series.agenda.pieces().iter();
    pieces.map(|piece| (piece.span.start(), piece.span.length().get(), piece.value.value)).collect()
}

/// The records of a payload, split without a parser of JSON: start, and the number after `column`.
fn split(text: &str, time: &str, column: &str) -> Vec<(Timestamp, i64)> {
    let after =
        |record: &str, name: &str| record.split(&format!("\"{name}\":")).nth(1).unwrap().to_owned();
    let records = text.split("[{").nth(1).unwrap().split("},").map(|record| {
        let (start, amount) = (after(record, time), after(record, column));
        let amount = amount.split([',', '}']).next().unwrap();
        (at(&format!("{}Z", &start[1..20])), parse_millionths(amount).unwrap())
    });
    let mut records: Vec<_> = records.collect();
    records.reverse();
    records
}

/// 2025-10-26 has 25 hours in Denmark, hence 100 quarter-hours, the first at 22:00 UTC the day before.
#[test]
fn a_day_of_25_hours_equals_what_a_plain_split_says() {
    let text = day("DayAheadPrices", "2025-10-25T22:00:00Z", 900, 100);
    let series = priced(&text, "DayAheadPrices", PriceColumn::Dkk).unwrap();
    let read = values(&series);
    let split = split(&text, "TimeUTC", "DayAheadPriceDKK");
    assert_eq!((read.len(), split.len()), (100, 100));
    for ((start, length, value), (said, amount)) in read.into_iter().zip(split) {
        assert_eq!((start, length, value), (said, 900, amount));
    }
    assert_eq!(series.kind.to_string(), "price in DKK/MWh");
}

/// 2025-03-30 has 23 hours; the record of the hour 5 says 5 EUR and 37.30 DKK.
#[test]
fn hours_of_the_older_data_set_hold_for_an_hour() {
    let text = day("Elspotprices", "2025-03-29T23:00:00Z", 3600, 23);
    let series = priced(&text, "Elspotprices", PriceColumn::Eur).unwrap();
    assert_eq!(values(&series)[5], (at("2025-03-30T04:00:00Z"), 3600, 5_000_000));
    assert_eq!(series.span().unwrap().end(), at("2025-03-30T22:00:00Z"));
    let kroner = priced(&text, "Elspotprices", PriceColumn::Dkk).unwrap();
    assert_eq!(values(&kroner)[5].2, 37_300_000);
}

/// The newer data set has hours of September, too: its records change their length at the midnight
/// in Denmark that is 22:00 UTC.
#[test]
fn the_length_follows_the_day_of_delivery() {
    let record =
        |start: &str| format!(r#"{{"TimeUTC":"{start}","PriceArea":"DK1","DayAheadPriceEUR":1}}"#);
    let starts = ["2025-09-30T22:15:00", "2025-09-30T22:00:00", "2025-09-30T21:00:00"];
    let text = format!(r#"{{"records":[{}]}}"#, starts.map(record).join(","));
    let series = priced(&text, "DayAheadPrices", PriceColumn::Eur).unwrap();
    let lengths: Vec<i64> = values(&series).iter().map(|value| value.1).collect();
    assert_eq!(lengths, [3600, 900, 900]);
    for between in ["2025-09-30T21:15:00", "2025-10-01T00:07:00", "2025-10-01", "soon"] {
        let text = format!(r#"{{"records":[{}]}}"#, record(between));
        let error = priced(&text, "DayAheadPrices", PriceColumn::Eur).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{between}: {error}");
    }
}

/// At weekends prices in kroner come later than those in euros.
#[test]
fn kroner_that_are_not_known_yet_are_gaps_and_not_reckoned() {
    let text = day("DayAheadPrices", "2025-10-11T22:00:00Z", 900, 4)
        .replace("\"DayAheadPriceDKK\":14.92", "\"DayAheadPriceDKK\":null");
    let series = priced(&text, "DayAheadPrices", PriceColumn::Dkk).unwrap();
    assert_eq!(series.agenda.at(at("2025-10-11T22:30:00Z")), None);
    assert_eq!(values(&series).len(), 3);
    assert_eq!(series.notes, ["1 records without a value are gaps"]);
    let euros = priced(&text, "DayAheadPrices", PriceColumn::Eur).unwrap();
    assert_eq!(values(&euros).len(), 4);
    let without = text.replace("DayAheadPriceDKK", "DKK");
    let error = priced(&without, "DayAheadPrices", PriceColumn::Dkk).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
}

#[test]
fn another_area_or_data_set_and_none_are_refused() {
    let text = day("DayAheadPrices", "2025-10-11T22:00:00Z", 900, 4);
    for (from, to, named) in [
        ("\"PriceArea\":\"DK1\",", "\"PriceArea\":\"DK2\",", "asked for area \"DK1\""),
        ("\"PriceArea\":\"DK1\",", "", "asked for area \"DK1\""),
        ("\"dataset\":\"DayAheadPrices\"", "\"dataset\":\"CO2Emis\"", "asked for data set"),
    ] {
        let changed = text.replacen(from, to, 1);
        let error = priced(&changed, "DayAheadPrices", PriceColumn::Eur).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[test]
fn an_empty_list_is_not_published_and_no_list_a_bad_payload() {
    let empty = r#"{"total":0,"limit":10000,"dataset":"DayAheadPrices","records":[]}"#;
    let error = priced(empty, "DayAheadPrices", PriceColumn::Eur).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
    let error = priced("{}", "DayAheadPrices", PriceColumn::Eur).unwrap_err();
    assert!(error.to_string().contains("records"), "{error}");
    let word = day("DayAheadPrices", "2025-10-11T22:00:00Z", 900, 4).replace("3.000000", "\"ND\"");
    let error = priced(&word, "DayAheadPrices", PriceColumn::Eur).unwrap_err();
    assert!(error.to_string().contains("is not a number"), "{error}");
}

fn emissions(records: &[(&str, &str)]) -> Vec<EmissionRecord> {
    let record = |(minute, grams): &(&str, &str)| {
        format!(
            r#"{{"Minutes5UTC":"2026-01-20T16:{minute}:00","Minutes5DK":"2026-01-20T17:{minute}:00",
                "PriceArea":"DK1","CO2Emission":{grams}}}"#
        )
    };
    let records: Vec<String> = records.iter().map(record).collect();
    let text = format!(r#"{{"dataset":"CO2Emis","records":[{}]}}"#, records.join(","));
    read(&text, "CO2Emis").unwrap().records
}

/// 16:30 is measured at 160 and was expected at 150, 16:35 is not measured yet.
#[test]
fn co2_is_measured_where_it_is_known_and_forecast_beyond() {
    let measured = emissions(&[("35", "null"), ("30", "160.000000"), ("25", "155.5")]);
    let expected = emissions(&[("40", "148"), ("35", "149.000000"), ("30", "150.000000")]);
    let series = intensities(&measured, &expected, "DK1").unwrap();
    let known = series.agenda.pieces().iter().map(|piece| piece.value);
    let known: Vec<_> = known.map(|value| (value.value, value.quality)).collect();
    assert_eq!(
        known,
        [
            (155_500_000, Quality::Measured),
            (160_000_000, Quality::Measured),
            (149_000_000, Quality::Forecast),
            (148_000_000, Quality::Forecast),
        ]
    );
    assert_eq!(values(&series)[0].1, 300);
    assert_eq!(series.kind.to_string(), "average direct CO2 in g/kWh");
    assert_eq!(series.notes, ["1 records without a value are gaps"]);
    let error = intensities(&measured, &expected, "DK2").unwrap_err();
    assert!(error.to_string().contains("asked for area \"DK2\""), "{error}");
}

#[test]
fn of_one_time_measured_twice_the_dirtier_counts_and_is_noted() {
    let twice = emissions(&[("30", "160"), ("30", "170"), ("35", "150")]);
    let series = intensities(&twice, &[], "DK1").unwrap();
    assert_eq!(values(&series)[0].2, 170_000_000);
    assert!(series.notes[0].contains("two values for"), "{:?}", series.notes);
}

#[test]
fn co2_is_of_denmark_and_prices_in_two_currencies() {
    let connect = |text: &str, quantity| {
        let settings: super::Settings = toml::from_str(text).map_err(|error| error.to_string())?;
        let http = Http::new(Timeouts::default()).map_err(|error| error.to_string())?;
        let role = settings.connect("a", quantity, &http).map_err(|error| error.to_string())?;
        Ok::<_, String>(role.map(|role| role.quantity()))
    };
    assert_eq!(connect("area = \"SE4\"", Quantity::Price), Ok(Some(Quantity::Price)));
    assert_eq!(connect("area = \"DK2\"", Quantity::Co2), Ok(Some(Quantity::Co2)));
    let elsewhere = connect("area = \"SE4\"", Quantity::Co2).unwrap_err();
    assert!(elsewhere.contains("CO2 is told of DK1 and DK2 alone"), "{elsewhere}");
    let crowns = connect("area = \"SE4\"\ncurrency = \"SEK\"", Quantity::Price).unwrap_err();
    assert!(crowns.contains("`DKK`") && crowns.contains("`EUR`"), "{crowns}");
}
