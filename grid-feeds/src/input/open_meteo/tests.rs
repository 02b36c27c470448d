use planner::time::Timestamp;

use super::map::{WeatherPlace, columns, input, read};
use crate::feed::FeedError;
use crate::forecast::ForecastInput;
use crate::input::InputQuantity;

const PARIS: WeatherPlace = WeatherPlace { latitude: 48.85, longitude: 2.35 };

/// Four hours from 2026-03-01 10:00 UTC: the newest forecast says `n`, that of `d` days before `n + 10 d`.
fn answer(name: &str, unit: &str, newest: [&str; 4]) -> String {
    let column = |days: i64| {
        let value = |text: &&str| {
            text.parse::<f64>()
                .map_or((*text).to_owned(), |it| (it + 10.0 * days as f64).to_string())
        };
        newest.iter().map(value).collect::<Vec<_>>().join(",")
    };
    let names = (0..=7).map(|days| match days {
        0 => (name.to_owned(), 0),
        days => (format!("{name}_previous_day{days}"), days),
    });
    let names: Vec<(String, i64)> = names.collect();
    let of_name = |(name, _): &(String, i64)| format!(",\"{name}\":\"{unit}\"");
    let units = names.iter().map(of_name).collect::<Vec<_>>().concat();
    let of_name = |(name, days): &(String, i64)| format!(",\"{name}\":[{}]", column(*days));
    let values = names.iter().map(of_name).collect::<Vec<_>>().concat();
    format!(
        r#"{{"latitude":48.84,"longitude":2.3599997,"generationtime_ms":0.4,"utc_offset_seconds":0,
            "timezone":"GMT","timezone_abbreviation":"GMT","elevation":38.0,
            "hourly_units":{{"time":"unixtime"{units}}},
            "hourly":{{"time":[1772359200,1772362800,1772366400,1772370000]{values}}}}}"#
    )
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn parsed(text: &str, quantity: InputQuantity) -> Result<ForecastInput, FeedError> {
    input(&read(text)?, "weather", quantity, PARIS, at("2026-03-01T12:00:00Z"))
}

/// The hour of each value and the value, as they are known so many days before.
fn known(input: &ForecastInput, days: usize) -> Vec<(i64, i64)> {
    let pieces = input.values[days - 1].values.pieces().iter();
    let hour = |start: Timestamp| start.as_unix_seconds() % 86_400 / 3600;
    pieces.map(|piece| (hour(piece.span.start()), piece.value)).collect()
}

/// It is 12:00. What was forecast two days before of 10:00 and 11:00 counts, and of what is to come the newest forecast.
#[test]
fn the_past_is_as_it_was_forecast_and_the_rest_as_it_is_now() {
    let text = answer("temperature_2m", "°C", ["1", "2", "-3.5", "4"]);
    let input = parsed(&text, InputQuantity::Temperature).unwrap();
    let degrees = 1_000_000;
    let expected = |ahead: i64| {
        let past = ahead * 10 * degrees;
        vec![(10, degrees + past), (11, 2 * degrees + past), (12, -3_500_000), (13, 4 * degrees)]
    };
    for days in [1, 2, 6] {
        assert_eq!(known(&input, usize::try_from(days).unwrap()), expected(days));
    }
}

/// Radiation is the mean of the hour before its time.
#[test]
fn a_mean_is_that_of_the_hour_before() {
    let text = answer("shortwave_radiation", "W/m²", ["100", "200", "300", "400"]);
    let input = parsed(&text, InputQuantity::Irradiance).unwrap();
    let hours: Vec<i64> = known(&input, 1).iter().map(|(hour, _)| *hour).collect();
    assert_eq!(hours, [9, 10, 11, 12]);
    assert_eq!(known(&input, 1)[3].1, 400_000_000, "12:00 to 13:00 is to come");
}

#[test]
fn nulls_and_what_cannot_be_are_gaps() {
    let text = answer("wind_speed_10m", "m/s", ["5", "null", "999", "6"]);
    let input = parsed(&text, InputQuantity::WindSpeed).unwrap();
    assert_eq!(known(&input, 1), [(10, 15_000_000), (13, 6_000_000)]);
    let text = answer("wind_speed_10m", "m/s", ["null"; 4]);
    let error = parsed(&text, InputQuantity::WindSpeed).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
}

#[test]
fn another_place_unit_or_clock_is_refused() {
    let text = answer("temperature_2m", "°C", ["1", "2", "3", "4"]);
    let refused = |from: &str, to: &str, word: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let error = parsed(&changed, InputQuantity::Temperature).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    refused("48.84", "52.52", "52.52");
    refused("2.3599997", "-2.36", "-2.36");
    refused("\"°C\"", "\"°F\"", "°F");
    refused("\"utc_offset_seconds\":0", "\"utc_offset_seconds\":3600", "3600 s");
    refused("1772362800", "1772362801", "/hourly/time/1");
    refused("1772366400", "1772362800", "/hourly/time/2");
    refused("\"temperature_2m\":[1,2,3,4]", "\"temperature_2m\":[1,2,3]", "3 values");
    refused("\"temperature_2m\":[", "\"temperature\":[", "is missing");
}

/// At 179.9 degrees east a cell may have its middle at 179.9 west.
#[test]
fn a_cell_may_lie_across_the_date_line() {
    let text = answer("temperature_2m", "°C", ["1", "2", "3", "4"]).replace("2.3599997", "-179.9");
    let weather = read(&text).unwrap();
    let place = WeatherPlace { longitude: 179.9, ..PARIS };
    let now = at("2026-03-01T12:00:00Z");
    assert!(input(&weather, "weather", InputQuantity::Temperature, place, now).is_ok());
}

#[test]
fn columns_are_those_of_seven_days_before() {
    let names = columns(InputQuantity::Temperature).unwrap();
    assert_eq!((names.len(), names[7].as_str()), (8, "temperature_2m_previous_day7"));
    assert!(columns(InputQuantity::Load).is_err());
    let known = parsed(&answer("temperature_2m", "°C", ["1"; 4]), InputQuantity::Temperature);
    // A run of 10:00 two days before, which was out eight hours later.
    let hour = at("2026-03-05T10:00:00Z");
    let out = at("2026-03-03T18:00:00Z");
    assert_eq!(known.unwrap().values[1].known.of(hour), Some(out));
}
