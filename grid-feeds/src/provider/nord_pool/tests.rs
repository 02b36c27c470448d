//! Answers of the recorded shapes, of the portal and of the data service.

use super::AuctionMarket;
use super::map::{prices, read, read_area};
use crate::feed::{FeedError, Quality, Series};

fn day(state: &str, entries: &str) -> String {
    format!(
        r#"{{"deliveryDateCET": "2026-03-02", "version": 3,
            "updatedAt": "2026-03-01T11:55:05.1234567Z", "market": "DayAhead",
            "deliveryAreas": ["SE3"], "currency": "EUR", "multiAreaEntries": [{entries}],
            "areaStates": [{{"state": "{state}", "areas": ["SE3"]}}]}}"#
    )
}

const ENTRIES: &str = r#"{"deliveryStart": "2026-03-01T23:15:00Z",
    "deliveryEnd": "2026-03-01T23:30:00Z", "entryPerArea": {"SE3": -1.5}},
    {"deliveryStart": "2026-03-01T23:00:00Z", "deliveryEnd": "2026-03-01T23:15:00Z",
     "entryPerArea": {"SE3": 0.0}}"#;

fn series(text: &str) -> Result<Series, FeedError> {
    prices(&[read(text, "2026-03-02", AuctionMarket::DayAhead)?], "SE3", "EUR")
}

#[test]
fn a_price_of_zero_is_a_price_and_null_is_a_gap() {
    let known = |series: &Series| -> Vec<i64> {
        series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
    };
    let final_day = series(&day("Final", ENTRIES)).unwrap();
    assert_eq!(known(&final_day), [0, -1_500_000]);
    assert_eq!(final_day.issued_at.unwrap().to_string(), "2026-03-01T11:55:05Z");
    let without = series(&day("Final", &ENTRIES.replace("0.0", "null"))).unwrap();
    assert_eq!(known(&without), [-1_500_000]);
}

#[test]
fn preliminary_prices_are_forecasts() {
    let quality = |text: &str| series(text).unwrap().agenda.pieces()[0].value.quality;
    assert_eq!(quality(&day("Final", ENTRIES)), Quality::Measured);
    assert_eq!(quality(&day("Preliminary", ENTRIES)), Quality::Forecast);
}

#[test]
fn another_area_day_market_and_currency_are_refused() {
    let text = day("Final", ENTRIES);
    for (from, to, asked) in [
        ("{\"SE3\": 0.0}", "{\"SE4\": 0.0}", "area \"SE3\""),
        ("\"EUR\"", "\"SEK\"", "currency \"EUR\""),
        ("CET\": \"2026-03-02", "CET\": \"2026-03-03", "date \"2026-03-02\""),
        ("\"DayAhead\"", "\"Intraday\"", "market \"DayAhead\""),
    ] {
        let error = series(&text.replace(from, to)).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(asked), "{error}");
    }
    assert!(matches!(series(&day("Final", "")), Err(FeedError::NotPublished { .. })));
}

/// An hourly day of Great Britain: prices of 100.05, 101.05 ... GBP/MWh from midnight in Central Europe, so
/// that it has as many hours as that day.
fn day_of_great_britain(date: &str, first: &str, hours: i64) -> String {
    let start: jiff::Timestamp = first.parse().unwrap();
    let at = |hour: i64| start + jiff::SignedDuration::from_hours(hour);
    let price = |hour: i64| {
        let (start, end) = (at(hour), at(hour + 1));
        format!(
            r#"{{"price": {}.05, "deliveryStart": "{start}", "deliveryEnd": "{end}"}}"#,
            100 + hour
        )
    };
    let prices: Vec<String> = (0..hours).map(price).collect();
    format!(
        r#"[{{"market": "N2EX_DayAhead", "deliveryArea": "UK", "blockPrices": [{{"blockName": "Base",
            "blockStart": "{start}", "minPrice": 1.0}}], "status": "Final", "unit": "GBP/MWh", "currency": "GBP",
            "exchangeRate": 0.85569, "marketMainCurrency": "EUR", "averagePrice": 157.03,
            "prices": [{}], "deliveryDateCET": "{date}", "updatedAt": "2026-03-28T09:59:40.9550842Z"}}]"#,
        prices.join(",")
    )
}

fn read_uk(text: &str, date: &str) -> Result<Option<Series>, FeedError> {
    let day = read_area(text, date, AuctionMarket::N2ex, "UK")?;
    day.map(|day| prices(&[day], "UK", "GBP")).transpose()
}

/// Days of 24, 23 and 25 hours, each against the text cut at its names.
#[test]
fn days_of_the_data_service_are_what_another_reading_of_them_says() {
    for (date, first, hours) in [
        ("2026-03-28", "2026-03-27T23:00:00Z", 24),
        ("2026-03-29", "2026-03-28T23:00:00Z", 23),
        ("2026-10-25", "2026-10-24T22:00:00Z", 25),
    ] {
        let text = day_of_great_britain(date, first, hours);
        let series = read_uk(&text, date).unwrap().unwrap();
        let mut expected = Vec::new();
        for part in text.split("{\"price\": ").skip(1) {
            let value = part.split(',').next().unwrap().replace('.', "");
            let start = part.split("deliveryStart\": \"").nth(1).unwrap();
            let start = start.split('"').next().unwrap().to_owned();
            expected.push((start, value.parse::<i64>().unwrap() * 10_000));
        }
        assert_eq!(i64::try_from(expected.len()), Ok(hours));
        let pieces = series.agenda.pieces().iter();
        let read: Vec<_> =
            pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect();
        assert_eq!(read, expected, "{date}");
        assert!(series.agenda.covers(series.span().unwrap()), "{date}");
        assert_eq!(series.kind.to_string(), "price in GBP/MWh");
        assert_eq!(series.issued_at.unwrap().to_string(), "2026-03-28T09:59:40Z");
        let quality = series.agenda.pieces()[0].value.quality;
        assert_eq!(quality, Quality::Measured);
    }
}

#[test]
fn a_day_of_the_data_service_that_is_not_there_is_no_error() {
    let date = "2026-03-28";
    let text = day_of_great_britain(date, "2026-03-27T23:00:00Z", 24);
    assert_eq!(read_uk("[]", date).unwrap(), None);
    let missing = text.replace("\"Final\"", "\"Missing\"");
    assert_eq!(read_uk(&missing, date).unwrap(), None);
    let early = read_uk(&text.replace("\"Final\"", "\"Preliminary\""), date).unwrap().unwrap();
    assert_eq!(early.agenda.pieces()[0].value.quality, Quality::Forecast);
}

#[test]
fn another_area_day_market_unit_or_currency_of_the_data_service_is_refused() {
    let date = "2026-03-28";
    let text = day_of_great_britain(date, "2026-03-27T23:00:00Z", 24);
    for (from, to, asked) in [
        ("\"UK\"", "\"NO2\"", "area \"UK\""),
        ("CET\": \"2026-03-28", "CET\": \"2026-03-29", "date \"2026-03-28\""),
        ("N2EX_DayAhead", "DayAhead", "market \"N2EX_DayAhead\""),
        ("GBP/MWh", "GBP/kWh", "unit \"GBP/MWh\""),
        (
            "\"unit\": \"GBP/MWh\", \"currency\": \"GBP\"",
            "\"currency\": \"EUR\"",
            "currency \"GBP\"",
        ),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let error = read_uk(&changed, date).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(asked), "{error}");
    }
}
