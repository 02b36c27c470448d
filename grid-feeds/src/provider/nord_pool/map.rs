//! From days to an agenda.

use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Day;
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant, instant_to_second,
    nearest_millionths,
};
use crate::provider::json;

/// Which market is asked for.
pub(super) const MARKET: &str = "DayAhead";

/// Reads the day `date`, such as `2026-03-02`.
///
/// # Errors
/// What is not JSON of this shape, another day, another market.
pub fn read(text: &str, date: &str) -> Result<Day, FeedError> {
    let day: Day = json(text)?;
    let is_of = |what, asked| Identity { what, asked, setting: "`base_url`" };
    is_of("date", date).told("/deliveryDateCET", day.date.as_deref())?;
    is_of("market", MARKET).told("/market", day.market.as_deref())?;
    Ok(day)
}

/// The prices of `area` in `currency` over some days; those that are not final are forecasts.
///
/// # Errors
/// Another currency, an area that is not there, spans that are no spans, words for numbers.
pub fn prices(days: &[Day], area: &str, currency: &str) -> Result<Series, FeedError> {
    let in_currency = Identity { what: "currency", asked: currency, setting: "`currency`" };
    let mut readings = Vec::new();
    let mut issued_at: Option<Timestamp> = None;
    for day in days {
        in_currency.named("/currency", Some(&day.currency))?;
        issued_at = issued_at.max(day.updated_at.as_deref().and_then(instant_to_second));
        let quality = quality(day, area);
        for (index, entry) in day.multi_area_entries.iter().enumerate() {
            let place = format!("/multiAreaEntries/{index}");
            let wrong = |message: &str| FeedError::payload(&place, message);
            let span = instant(&entry.delivery_start)
                .zip(instant(&entry.delivery_end))
                .and_then(|(start, end)| Span::new(start, end))
                .ok_or_else(|| wrong("is no span"))?;
            let number = entry.prices.get(area).ok_or_else(|| {
                let areas = entry.prices.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let asked = format!("area {area:?}");
                FeedError::mismatch(format!("{place}/entryPerArea"), asked, &areas, "`area`")
            })?;
            let Some(number) = number else { continue };
            let value = number
                .decimal()
                .map(|price| nearest_millionths(price, Decimal::ONE))
                .ok_or_else(|| wrong("has a price that is not a number"))?;
            readings.push(Reading { span, value, quality });
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no entries"));
    }
    let currency = Currency::parse(currency)
        .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
    let kind = Kind::Price { currency };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at, agenda, notes })
}

fn quality(day: &Day, area: &str) -> Quality {
    let is_final = |state: &super::wire::State| {
        state.state == "Final" && state.areas.iter().any(|known| known == area)
    };
    if day.area_states.iter().any(is_final) { Quality::Measured } else { Quality::Forecast }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        prices(&[read(text, "2026-03-02")?], "SE3", "EUR")
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
}
