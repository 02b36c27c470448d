//! Answers of the recorded shapes.

use std::fmt::Write;

use planner::time::{Seconds, Timestamp};

use super::map::{intensities, prices};
use crate::feed::{Factors, FeedError, Series};

const PRICES: &str = r#"{"version": "4.3.2", "created_at": "2026-03-01T12:07:12+11:00", "success": true,
    "error": null, "data": [{"network_code": "NEM", "metric": "price", "unit": "$/MWh",
    "interval": "5m", "date_start": "2026-03-01T11:00:00+10:00",
    "date_end": "2026-03-01T11:10:00+10:00", "groupings": [], "results": [{"name": "price_SA1",
    "date_start": "2026-03-01T11:00:00+10:00", "date_end": "2026-03-01T11:10:00+10:00",
    "columns": {"region": "SA1"}, "data": [["2026-03-01T11:00:00+10:00", 40.01],
    ["2026-03-01T11:05:00+10:00", null], ["2026-03-01T11:10:00+10:00", -1000]]}],
    "network_timezone_offset": "+10:00"}]}"#;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn values(series: &Series) -> Vec<i64> {
    series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
}

/// 11:00 in the market is 01:00 UTC; the interval that ends then began at 00:55.
#[test]
fn a_time_is_that_at_which_its_interval_ends() {
    let series = prices(PRICES, "SA1").unwrap();
    assert_eq!(series.kind.to_string(), "price in AUD/MWh");
    assert_eq!(values(&series), [40_010_000, -1_000_000_000]);
    let spans: Vec<_> = series.agenda.pieces().iter().map(|piece| piece.span).collect();
    let first = (at("2026-03-01T00:55:00Z"), at("2026-03-01T01:00:00Z"));
    assert_eq!((spans[0].start(), spans[0].end()), first);
    assert_eq!(spans[1].start(), at("2026-03-01T01:05:00Z"), "null is a gap");
    assert_eq!(series.issued_at, Some(at("2026-03-01T01:07:12Z")));
}

#[test]
fn times_of_summer_and_times_without_an_offset_are_the_same_instants() {
    let series = prices(PRICES, "sa1").unwrap();
    let data = |text: &str, from: &str, to: &str| {
        let (head, data) = text.split_once("\"columns\"").unwrap();
        format!("{head}\"columns\"{}", data.replace(from, to))
    };
    let naive = data(PRICES, "+10:00\", ", "\", ");
    assert_ne!(naive, PRICES);
    assert_eq!(prices(&naive, "SA1").unwrap().agenda, series.agenda);
    let summer = data(PRICES, "T11", "T12").replace(":00+10:00\", ", ":00+11:00\", ");
    assert_eq!(prices(&summer, "SA1").unwrap().agenda, series.agenda);
    let error = prices(&data(PRICES, "T11:05:00+10:00", " soon"), "SA1").unwrap_err();
    assert!(error.to_string().contains("is no time"), "{error}");
}

#[test]
fn another_region_network_metric_unit_or_step_is_refused() {
    for (from, to, asked) in [
        ("\"SA1\"", "\"VIC1\"", "asked for region \"SA1\""),
        ("{\"region\": \"SA1\"}", "{}", "asked for region \"SA1\""),
        ("\"NEM\"", "\"WEM\"", "asked for network \"NEM\""),
        ("\"price\"", "\"demand\"", "asked for metric \"price\""),
        ("\"$/MWh\"", "\"c/kWh\"", "asked for unit \"$/MWh\""),
        ("\"5m\"", "\"1h\"", "asked for interval \"5m\""),
    ] {
        let text = PRICES.replace(from, to);
        assert_ne!(text, PRICES, "{from}");
        let error = prices(&text, "SA1").unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(asked), "{error}");
    }
}

#[test]
fn failures_with_status_200_and_empty_answers_are_no_values() {
    let refusal = prices(r#"{"success": false, "error": "Plan is over"}"#, "SA1").unwrap_err();
    assert_eq!(refusal.to_string(), "refused with status 200: Plan is over");
    assert!(matches!(prices("{}", "SA1"), Err(FeedError::Payload { .. })));
    assert!(matches!(prices("", "SA1"), Err(FeedError::Transient { .. })));
    let none = r#"{"version": "4.5.4", "success": true, "data": []}"#;
    assert!(matches!(prices(none, "SA1"), Err(FeedError::NotPublished { .. })));
    let nothing = intensities(none, "SA1", Factors::Direct);
    assert!(matches!(nothing, Err(FeedError::NotPublished { .. })));
    let word = prices(&PRICES.replace("40.01", "\"n/a\""), "SA1").unwrap_err();
    assert!(word.to_string().contains("2026-03-01T11:00:00+10:00"), "{word}");
}

/// The day of 2026-10-04 has 23 hours in Sydney and 24 in the market: 288 intervals, from 14:00 UTC of the day before. The
/// price of each is its number and a half.
#[test]
fn the_day_of_the_change_of_the_clock_is_a_day_like_others() {
    let midnight = at("2026-10-03T14:00:00Z");
    let mut points = String::new();
    for number in 1..=288_i64 {
        let (day, minute) = (4 + number / 288, number * 5 % 1440);
        let comma = if number == 1 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            points,
            "{comma}[\"2026-10-{day:02}T{:02}:{:02}:00+10:00\",{number}.5]",
            minute / 60,
            minute % 60
        );
    }
    let text = format!(
        "{{\"success\":true,\"data\":[{{\"network_code\":\"NEM\",\"metric\":\"price\",\"unit\":\"$/MWh\",\
         \"interval\":\"5m\",\"results\":[{{\"columns\":{{\"region\":\"NSW1\"}},\"data\":[{points}]}}]}}]}}"
    );
    let series = prices(&text, "NSW1").unwrap();
    let span = series.span().unwrap();
    assert_eq!((span.start(), span.length()), (midnight, Seconds::new(86_400)));
    assert!(series.agenda.covers(span));
    // Each point again, split at its brackets: the price in tenths, times 100,000.
    for (index, point) in (0_i64..).zip(points.trim_matches(['[', ']']).split("],[")) {
        let tenths: i64 = point.split_once(',').unwrap().1.replace('.', "").parse().unwrap();
        let start = midnight + Seconds::new(index * 300);
        assert_eq!(series.agenda.at(start).unwrap().value, tenths * 100_000, "{point}");
    }
}

/// What technologies generated in two intervals.
fn generation(powers: &[(&str, &str, &str)]) -> String {
    let result = |&(name, first, second): &(&str, &str, &str)| {
        format!(
            r#"{{"name": "power_SA1|{name}", "columns": {{"region": "SA1", "fueltech": "{name}"}},
                "data": [["2026-03-01T11:00:00+10:00", {first}], ["2026-03-01T11:05:00+10:00", {second}]]}}"#
        )
    };
    let results: Vec<String> = powers.iter().map(result).collect();
    format!(
        r#"{{"success": true, "data": [{{"network_code": "NEM", "metric": "power", "unit": "MW",
            "interval": "5m", "groupings": ["network_region", "fueltech"], "results": [{}]}}]}}"#,
        results.join(", ")
    )
}

/// 100 MW of gas at 490 and 300 MW of wind at 11 are 130.75 g/kWh; 200 and 200 are 250.5.
#[test]
fn storage_and_flows_do_not_count_and_names_may_be_in_capitals() {
    let powers = [
        ("GAS_CCGT", "100.0", "200"),
        ("WIND", "300", "200"),
        ("BATTERY_CHARGING", "9.0216", "13.1284"),
        ("BATTERY_DISCHARGING", "55", "0"),
        ("PUMPS", "70", "70"),
        ("imports", "500", "500"),
        ("exports", "-500", "0"),
        ("solar_utility", "-0.4", "0"),
    ];
    let read = |text: &str| intensities(text, "SA1", Factors::Lifecycle).unwrap();
    let series = read(&generation(&powers));
    assert_eq!(values(&series), [130_750_000, 250_500_000]);
    assert_eq!(series.agenda.pieces()[0].span.start(), at("2026-03-01T00:55:00Z"));
    assert_eq!(series.notes, ["production in the zone; imports are not traced"]);
    let small = powers
        .map(|(name, _, _)| name)
        .iter()
        .fold(generation(&powers), |text, name| text.replace(name, &name.to_lowercase()));
    assert_eq!(read(&small), series);
}

/// Direct: 760 of coal twice, 370 of gas five times, 406 of oil, none of the other nine: 3776 / 17.
#[test]
fn each_technology_has_its_factor() {
    let all = [
        "coal_black",
        "coal_brown",
        "gas_ccgt",
        "gas_ocgt",
        "gas_recip",
        "gas_steam",
        "gas_wcmg",
        "distillate",
        "bioenergy_biogas",
        "bioenergy_biomass",
        "hydro",
        "nuclear",
        "solar_rooftop",
        "solar_thermal",
        "solar_utility",
        "wind",
        "wind_offshore",
    ];
    let text = generation(&all.map(|name| (name, "10", "0")));
    let series = intensities(&text, "SA1", Factors::Direct).unwrap();
    // 3776 / 17 is 222.1176470588; where nothing is generated there is no intensity.
    assert_eq!(values(&series), [222_117_647]);
    let unknown = generation(&[("wind", "1", "1"), ("fusion", "1", "1")]);
    let error = intensities(&unknown, "SA1", Factors::Direct).unwrap_err();
    assert!(error.to_string().contains("\"fusion\" is no known technology"), "{error}");
}

/// The roofs' power of the last interval comes later.
#[test]
fn a_technology_that_is_missing_or_null_makes_a_gap() {
    let powers = [("gas_ccgt", "200", "200"), ("solar_rooftop", "200", "null")];
    let null = generation(&powers);
    let absent = null.replace(", [\"2026-03-01T11:05:00+10:00\", null]", "");
    assert_ne!(absent, null);
    for text in [null, absent] {
        let series = intensities(&text, "SA1", Factors::Lifecycle).unwrap();
        // 490 and 45 in equal parts.
        assert_eq!(values(&series), [267_500_000]);
        assert_eq!(series.notes[1], "1 spans lack a kind of generation and are gaps");
    }
}
