//! Rows of the recorded shape, with the oddities of the interface.

use std::collections::BTreeMap;

use planner::time::Timestamp;

use super::map::{intensities, read, total};
use crate::feed::{Factors, FeedError, Series};

/// A row as the interface writes it since 2024.
fn row(period: &str, fuel: &str, value: &str) -> String {
    format!(
        r#"{{"period": "{period}", "respondent": "CISO",
            "respondent-name": "California Independent System Operator", "fueltype": "{fuel}",
            "type-name": "a name", "value": {value}, "value-units": "megawatthours"}}"#
    )
}

fn answer(rows: &[String]) -> String {
    format!(
        r#"{{"response": {{"total": "{}", "dateFormat": "YYYY-MM-DD\"T\"HH24",
            "frequency": "hourly", "data": [{}], "description": "Form EIA-930"}},
            "request": {{"command": "/v2/electricity/rto/fuel-type-data/data/"}},
            "apiVersion": "2.1.8", "ExcelAddInVersion": "2.1.0"}}"#,
        rows.len(),
        rows.join(",")
    )
}

fn series(rows: &[String]) -> Result<Series, FeedError> {
    intensities(&[read(&answer(rows))?], "CISO", Factors::Lifecycle)
}

fn values(series: &Series) -> Vec<(String, i64)> {
    let pieces = series.agenda.pieces().iter();
    pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect()
}

/// Gas 300 and nuclear 100: (300 x 490 + 100 x 12) / 400 = 370.5 g/kWh.
#[test]
fn the_stamp_of_an_hour_is_its_end_in_utc() {
    let rows = [row("2026-03-10T14", "NG", "\"300\""), row("2026-03-10T14", "NUC", "\"100\"")];
    let series = series(&rows).unwrap();
    assert_eq!(values(&series), [("2026-03-10T13:00:00Z".to_owned(), 370_500_000)]);
    assert_eq!(series.agenda.pieces()[0].span.length().get(), 3600);
}

#[test]
fn hours_of_local_time_are_refused() {
    let local = row("2026-03-10T06-08", "NG", "\"300\"");
    let error = series(&[local]).unwrap_err().to_string();
    assert!(error.contains("\"2026-03-10T06-08\" is no hour of UTC"), "{error}");
    let rows = [row("2026-03-10T14", "NG", "\"300\"")];
    let text = answer(&rows).replace("\"hourly\"", "\"local-hourly\"");
    let error = read(&text).unwrap_err().to_string();
    assert!(error.contains("the answer says \"local-hourly\""), "{error}");
    for stamp in ["2026-03-10", "2026-03-10T24", "1970-01-01T00", "2026-3-10T014", ""] {
        assert!(series(&[row(stamp, "NG", "1")]).is_err(), "{stamp}");
    }
}

/// Coal 100 of 820 g, gas 300 of 490 g: (82,000 + 147,000) / 400 = 572.5 g/kWh, whether values are
/// numbers or texts and rows in order or not.
#[test]
fn numbers_and_texts_in_any_order_are_the_same_values() {
    let rows = [
        row("2026-03-10T13", "NG", "300"),
        row("2026-03-10T14", "COL", "\"100\""),
        row("2026-03-10T14", "NG", "\"300\""),
        row("2026-03-10T13", "COL", "100.0"),
    ];
    let expected = [
        ("2026-03-10T12:00:00Z".to_owned(), 572_500_000),
        ("2026-03-10T13:00:00Z".to_owned(), 572_500_000),
    ];
    assert_eq!(values(&series(&rows).unwrap()), expected);
    assert!(series(&[row("2026-03-10T14", "NG", "\"n/a\"")]).is_err());
}

#[test]
fn an_hour_without_a_value_of_one_fuel_is_a_gap() {
    let rows = [
        row("2026-03-10T14", "NG", "\"300\""),
        row("2026-03-10T14", "SUN", "null"),
        row("2026-03-10T13", "NG", "\"300\""),
        row("2026-03-10T13", "SUN", "\"100\""),
        row("2026-03-10T12", "NG", "\"300\""),
        // No value in any hour: the authority has no such power stations.
        row("2026-03-10T13", "COL", "null"),
    ];
    // (300 x 490 + 100 x 45) / 400 = 378.75.
    let series = series(&rows).unwrap();
    assert_eq!(values(&series), [("2026-03-10T12:00:00Z".to_owned(), 378_750_000)]);
    assert!(series.notes.contains(&"2 spans lack a kind of generation and are gaps".to_owned()));
    let nothing = self::series(&[row("2026-03-10T14", "NG", "null")]);
    assert!(matches!(nothing, Err(FeedError::NotPublished { .. })));
}

/// Storage that charges or discharges changes nothing, solar power at night and water that is pumped
/// count as none: 100 of 490 g and 100 of 38 g make 264 g/kWh.
#[test]
fn negative_values_and_storage_change_no_intensity() {
    let rows = [
        ("NG", "100"),
        ("GEO", "100"),
        ("SUN", "-17"),
        ("WAT", "-420"),
        ("BAT", "-2800"),
        ("PS", "900"),
        ("OES", "5"),
        ("UES", "-5"),
    ];
    let rows = rows.map(|(fuel, value)| row("2026-03-10T14", fuel, &format!("\"{value}\"")));
    assert_eq!(values(&series(&rows).unwrap())[0].1, 264_000_000);
}

/// With and without batteries of their own: 100 each of 45, 45, 11 and 11 g make 28 g/kWh.
#[test]
fn solar_and_wind_power_have_two_codes_each() {
    let rows = ["SUN", "SNB", "WND", "WNB"].map(|fuel| row("2026-03-10T14", fuel, "\"100\""));
    assert_eq!(values(&series(&rows).unwrap())[0].1, 28_000_000);
}

/// 100 of an unknown fuel, 700 g, and 100 of nuclear power, 12 g: 356 g/kWh.
#[test]
fn a_new_code_counts_as_other_and_is_noted() {
    let rows = [row("2026-03-10T14", "FUS", "\"100\""), row("2026-03-10T14", "NUC", "\"100\"")];
    let series = series(&rows).unwrap();
    assert_eq!(values(&series)[0].1, 356_000_000);
    let note = "fuel \"FUS\" is not known and counts as other".to_owned();
    assert!(series.notes.contains(&note), "{:?}", series.notes);
}

/// Of gas 100 and 300, said for one hour beside nuclear power of 100, the larger counts: 370.5 g/kWh.
#[test]
fn of_an_hour_that_is_said_twice_the_larger_value_counts() {
    let mut rows = [
        row("2026-03-10T14", "NG", "\"100\""),
        row("2026-03-10T14", "NG", "\"300\""),
        row("2026-03-10T14", "NUC", "\"100\""),
    ];
    assert_eq!(values(&series(&rows).unwrap())[0].1, 370_500_000);
    rows.reverse();
    assert_eq!(values(&series(&rows).unwrap())[0].1, 370_500_000);
}

#[test]
fn another_authority_or_unit_is_refused() {
    let rows = [row("2026-03-10T14", "NG", "\"300\"")];
    for (from, to, asked) in [
        ("\"CISO\"", "\"ERCO\"", "asked for respondent \"CISO\""),
        ("\"respondent\": \"CISO\",", "", "the answer says nothing"),
        ("megawatthours", "thousand megawatthours", "asked for unit \"megawatthours\""),
    ] {
        let page = read(&answer(&rows).replace(from, to)).unwrap();
        let error = intensities(&[page], "CISO", Factors::Direct).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(asked), "{error}");
    }
}

#[test]
fn warnings_are_noted_but_for_those_of_paging() {
    let warnings = r#""warnings": [
        {"warning": "incomplete return", "description": "Only 5000 rows are returned."},
        {"warning": "maintenance", "description": "Values may be late."}], "data""#;
    let text = answer(&[row("2026-03-10T14", "NG", "\"300\"")]).replace("\"data\"", warnings);
    let page = read(&text).unwrap();
    assert_eq!(total(&page), Some(1));
    let series = intensities(&[page], "CISO", Factors::Lifecycle).unwrap();
    assert!(series.notes.contains(&"maintenance: Values may be late.".to_owned()));
    assert!(!series.notes.iter().any(|note| note.contains("5000")), "{:?}", series.notes);
}

/// A day of gas, nuclear and solar power on two pages, newest first, and the same day from the text by
/// splitting it at its members.
#[test]
fn a_day_equals_an_independent_parse() {
    let mut rows = Vec::new();
    for hour in (1..24_i64).rev() {
        for (fuel, value) in [("NG", 9000 + hour * 137), ("NUC", 2260), ("SUN", (hour - 14) * 600)]
        {
            rows.push(row(&format!("2026-03-10T{hour:02}"), fuel, &format!("\"{value}\"")));
        }
    }
    let texts = rows.chunks(40).map(answer).collect::<Vec<_>>();
    let pages = texts.iter().map(|text| read(text).unwrap()).collect::<Vec<_>>();
    assert_eq!(pages.len(), 2);
    let series = intensities(&pages, "CISO", Factors::Direct).unwrap();

    let mut by_hour: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for part in texts.iter().flat_map(|text| text.split("\"period\": \"2026-03-10T").skip(1)) {
        let after = |key: &str| part.split(&format!("\"{key}\": \"")).nth(1).unwrap();
        let until_quote = |text: &str| text.split('"').next().unwrap().to_owned();
        let megawatts = until_quote(after("value")).parse::<f64>().unwrap().max(0.0);
        let grams = if until_quote(after("fueltype")) == "NG" { 370.0 } else { 0.0 };
        let (emitted, all) = by_hour.entry(part[..2].parse().unwrap()).or_default();
        *emitted += megawatts * grams;
        *all += megawatts;
    }
    let midnight = Timestamp::parse("2026-03-10T00:00:00Z").unwrap();
    assert_eq!(series.agenda.pieces().len(), by_hour.len());
    for (piece, (hour, (emitted, all))) in series.agenda.pieces().iter().zip(by_hour) {
        assert_eq!((piece.span.end() - midnight).get(), hour * 3600);
        let off = piece.value.value as f64 / 1e6 - emitted / all;
        assert!(off.abs() < 1e-6, "hour {hour} is off by {off}");
    }
}
