//! Answers of the recorded shapes, of versions 3 and 4.

use planner::time::Seconds;

use super::map::{SANDBOX, intensities, read};
use super::wire::Answer;
use super::{Granularity, IntensityQuery};
use crate::feed::{Factors, FeedError, Quality, Series};

fn series(texts: &[&str]) -> Result<Series, FeedError> {
    series_by(texts, None)
}

fn series_by(texts: &[&str], granularity: Option<Granularity>) -> Result<Series, FeedError> {
    let answers: Vec<Answer> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    intensities(&answers, IntensityQuery { zone: "DE", factors: Factors::Lifecycle, granularity })
}

#[test]
fn another_zone_is_refused_and_so_is_none() {
    for (text, place) in [
        (HISTORY.replacen("DE", "FR", 1), "/zone"),
        (HISTORY.replace("{\"zone\": \"DE\", \"carbon", "{\"zone\": \"FR\", \"carbon"), "T20:00"),
        (HISTORY.replace("\"zone\": \"DE\", ", ""), "T20:00"),
        (FORECAST.replace("DE", "DE-LU"), "/zone"),
    ] {
        let error = series(&[&text]).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(place), "{error}");
        assert!(error.to_string().contains("asked for zone \"DE\""), "{error}");
    }
}

#[test]
fn an_intensity_that_cannot_be_is_a_gap() {
    let series = series(&[&HISTORY.replace("599", "-5")]).unwrap();
    assert_eq!(series.agenda.pieces().len(), 1);
    assert!(series.notes.iter().any(|note| note.contains("-5 cannot be")), "{:?}", series.notes);
}

const HISTORY: &str = r#"{"zone": "DE", "history": [
    {"zone": "DE", "carbonIntensity": 599, "datetime": "2026-03-05T20:00:00.000Z",
     "updatedAt": "2026-03-06T15:48:54.012Z", "createdAt": "2026-03-02T20:47:49.346Z",
     "emissionFactorType": "lifecycle", "isEstimated": false, "estimationMethod": null},
    {"zone": "DE", "carbonIntensity": null, "datetime": "2026-03-05T21:00:00.000Z",
     "updatedAt": "2026-03-06T11:49:04.000Z", "emissionFactorType": "lifecycle",
     "isEstimated": false, "estimationMethod": null},
    {"zone": "DE", "carbonIntensity": 607.25, "datetime": "2026-03-05T22:00:00.000Z",
     "updatedAt": "2026-03-06T12:52:03.000Z", "emissionFactorType": "lifecycle",
     "isEstimated": true, "estimationMethod": "TIME_SLICER_AVERAGE"}]}"#;

const FORECAST: &str = r#"{"zone": "DE", "forecast": [
    {"carbonIntensity": 326, "datetime": "2026-03-05T23:00:00.000Z"}],
    "updatedAt": "2026-03-05T22:07:00.000Z"}"#;

#[test]
fn null_is_a_gap_and_estimates_are_flagged() {
    let series = series(&[HISTORY, FORECAST]).unwrap();
    let known: Vec<_> = series.agenda.pieces().iter().map(|piece| piece.value).collect();
    let known: Vec<_> = known.iter().map(|known| (known.value, known.quality)).collect();
    assert_eq!(
        known,
        [
            (599_000_000, Quality::Measured),
            (607_250_000, Quality::Estimated),
            (326_000_000, Quality::Forecast),
        ]
    );
    assert_eq!(series.notes, ["1 hours without a value are gaps"]);
    assert_eq!(series.issued_at.unwrap().to_string(), "2026-03-06T15:48:54Z");
}

#[test]
fn sandbox_data_is_refused() {
    let text = HISTORY.replace("TIME_SLICER_AVERAGE", SANDBOX);
    assert!(matches!(series(&[&text]), Err(FeedError::Sandbox { .. })));
}

#[test]
fn the_newer_shape_has_data_and_a_granularity() {
    let text = HISTORY.replace("\"history\"", "\"data\"");
    assert_eq!(series(&[&text]), series(&[HISTORY]));
    let quarters = text
        .replace("\"zone\": \"DE\", \"data\"", "\"temporalGranularity\": \"15_minutes\", \"data\"");
    let series = series(&[&quarters]).unwrap();
    assert_eq!(series.agenda.pieces()[0].span.length(), Seconds::new(900));
}

#[test]
fn other_factors_than_asked_for_are_refused() {
    let text = HISTORY.replace("\"lifecycle\"", "\"direct\"");
    assert!(matches!(series(&[&text]), Err(FeedError::Payload { .. })));
    assert!(series(&[&HISTORY.replace("20:00:00", "20:00:30")]).is_err());
}

#[test]
fn an_answer_without_values_is_not_published() {
    let text = r#"{"status": "no-data", "countryCode": "DE", "data": []}"#;
    assert!(matches!(series(&[text]), Err(FeedError::NotPublished { .. })));
}

/// A day of version 4 in quarter-hours: 96 values, of which the 40th is missing.
fn day_of_version_4() -> String {
    let row = |index: i64| {
        let value = if index == 40 { "null".to_owned() } else { format!("{}.5", 200 + index) };
        let (hour, minute) = (index / 4, index % 4 * 15);
        format!(
            r#"{{"zone": "DE", "carbonIntensity": {value},
                "datetime": "2026-03-05T{hour:02}:{minute:02}:00.000Z",
                "updatedAt": "2026-03-06T00:10:00.000Z", "createdAt": "2026-03-05T00:10:00.000Z",
                "emissionFactorType": "lifecycle", "flowTraced": true, "isEstimated": false,
                "estimationMethod": null, "temporalGranularity": "15_minutes"}}"#
        )
    };
    let rows: Vec<String> = (0..96).map(row).collect();
    let rows = rows.join(",");
    format!(
        r#"{{"zone": "DE", "unit": "gCO2eq/kWh", "emissionFactorType": "lifecycle",
            "temporalGranularity": "15_minutes", "data": [{rows}]}}"#
    )
}

/// The parser must find what a text says that is cut at its names.
#[test]
fn a_day_of_version_4_is_what_another_reading_of_it_says() {
    let text = day_of_version_4();
    let series = series_by(&[&text], Some(Granularity::QuarterHour)).unwrap();
    let of = |row: &str, name: &str| {
        let rest = row.split_once(&format!("\"{name}\": ")).unwrap().1;
        rest.split([',', '}']).next().unwrap().trim_matches('"').to_owned()
    };
    let mut expected = Vec::new();
    for row in text.split("\"zone\": \"DE\", \"carbon").skip(1) {
        let row = format!("\"carbon{row}");
        let value = of(&row, "carbonIntensity");
        if value != "null" {
            let tenths: i64 = value.replace('.', "").parse().unwrap();
            expected.push((of(&row, "datetime").replace(".000Z", "Z"), tenths * 100_000));
        }
    }
    assert_eq!(expected.len(), 95);
    let pieces = series.agenda.pieces().iter();
    let read: Vec<_> =
        pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect();
    assert_eq!(read, expected);
    assert!(series.agenda.pieces().iter().all(|it| it.span.length() == Seconds::new(900)));
    assert_eq!(
        series.notes,
        ["1 hours without a value are gaps", "imports are traced, as the answer says"]
    );
}

#[test]
fn version_4_must_be_of_the_unit_the_factors_the_granularity_and_trace_imports() {
    let day = day_of_version_4();
    let asked = Some(Granularity::QuarterHour);
    assert!(series_by(&[&day.replace("gCO2eq", "gCO₂eq")], asked).is_ok());
    for (from, to, words) in [
        ("\"unit\": \"gCO2eq/kWh\"", "\"unit\": \"kgCO2eq/MWh\"", "asked for unit"),
        (
            "kWh\", \"emissionFactorType\": \"life",
            "kWh\", \"emissionFactorType\": \"half",
            "factors \"lifecycle\"",
        ),
        ("\"flowTraced\": true", "\"flowTraced\": false", "asked for flow tracing \"true\""),
        ("lifecycle\", \"flow", "direct\", \"flow", "factors \"lifecycle\""),
        ("15_minutes\"}", "5_minutes\"}", "granularity \"15_minutes\""),
        ("15_minutes\", \"data", "hourly\", \"data", "granularity \"15_minutes\""),
    ] {
        let text = day.replacen(from, to, 1);
        assert_ne!(text, day, "{from}");
        let error = series_by(&[&text], asked).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let other = series_by(&[&day], Some(Granularity::Hour)).unwrap_err().to_string();
    assert!(other.contains("`granularity`"), "{other}");
    let scrambled = day.replacen("\"estimationMethod\": null", &method(SANDBOX), 1);
    assert!(matches!(series(&[&scrambled]), Err(FeedError::Sandbox { .. })));
}

fn method(name: &str) -> String {
    format!("\"estimationMethod\": \"{name}\"")
}

/// A forecast of 24 hours has 25 values: the hour that has begun, and the one that begins at its end.
#[test]
fn a_forecast_has_both_of_its_ends_and_is_read_beside_what_was_measured() {
    let row = |hour: i64| {
        let (day, hour) = (5 + hour / 24, hour % 24);
        format!(
            r#"{{"carbonIntensity": {hour}, "datetime": "2026-03-{day:02}T{hour:02}:00:00.000Z"}}"#
        )
    };
    let rows: Vec<String> = (22..=46).map(row).collect();
    let forecast = format!(
        r#"{{"zone": "DE", "forecast": [{}], "updatedAt": "2026-03-05T22:40:00Z",
            "temporalGranularity": "hourly"}}"#,
        rows.join(",")
    );
    let series = series_by(&[HISTORY, &forecast], Some(Granularity::Hour)).unwrap();
    // 20:00 and 22:00 are history; 23:00 to 22:00 of the next day are 24 more hours.
    assert_eq!(series.agenda.pieces().len(), 26);
    // A forecast counts before an estimate.
    let at_22 = &series.agenda.pieces()[1].value;
    assert_eq!((at_22.value, at_22.quality), (22_000_000, Quality::Forecast));
}

#[test]
fn longer_values_than_an_hour_are_refused() {
    let text = HISTORY.replace("\"history\"", "\"temporalGranularity\": \"daily\", \"history\"");
    let error = series(&[&text]).unwrap_err().to_string();
    assert!(error.contains("unknown granularity daily"), "{error}");
}
