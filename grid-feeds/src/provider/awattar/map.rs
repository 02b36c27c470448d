//! From hours to an agenda.

use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Answer;
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, nearest_millionths,
};
use crate::provider::json;

/// How long prices hold.
const STEPS_S: [i64; 3] = [900, 1800, 3600];

/// Reads the answer of `/marketdata` of a country, `de` or `at`.
///
/// # Errors
/// Another country or unit, spans that are no spans, words for numbers.
pub fn prices(text: &str, country: &str) -> Result<Series, FeedError> {
    let answer: Answer = json(text)?;
    let is_of = |what, asked, setting| Identity { what, asked, setting };
    let path = answer.url.as_deref().and_then(|path| path.strip_prefix('/')?.split('/').next());
    let came = path.filter(|word| word.len() == 2 && *word != "v1");
    is_of("country", country, "`country`").told("/url", came)?;
    let mut readings = Vec::new();
    for (index, hour) in answer.data.iter().enumerate() {
        let place = |field: &str| format!("/data/{index}/{field}");
        let unit: String = hour.unit.split_whitespace().collect();
        is_of("unit", "Eur/MWh", "`base_url`").named(&place("unit"), Some(&unit))?;
        let span = seconds(hour.start_timestamp)
            .zip(seconds(hour.end_timestamp))
            .and_then(|(start, end)| Span::new(start, end))
            .filter(|span| STEPS_S.contains(&span.length().get()))
            .ok_or_else(|| FeedError::payload(place("start_timestamp"), "is no start of a span"))?;
        let value = hour
            .marketprice
            .decimal()
            .map(|price| nearest_millionths(price, Decimal::ONE))
            .ok_or_else(|| FeedError::payload(place("marketprice"), "is not a number"))?;
        readings.push(Reading { span, value, quality: Quality::Measured });
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no hours"));
    }
    let kind = Kind::Price { currency: Currency::EUR };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// Whole seconds of milliseconds in the years 1970 to 9999.
fn seconds(milliseconds: i64) -> Option<Timestamp> {
    let whole = milliseconds.rem_euclid(1000) == 0;
    let instant = Timestamp::from_unix_seconds(milliseconds.div_euclid(1000));
    Some(instant).filter(|at| whole && (Timestamp::MIN..=Timestamp::MAX).contains(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"object": "list", "data": [
        {"start_timestamp": 1772359200000, "end_timestamp": 1772362800000, "marketprice": 42.09,
         "unit": "Eur/MWh"},
        {"start_timestamp": 1772362800000, "end_timestamp": 1772366400000, "marketprice": -5.0,
         "unit": "Eur/MWh"}], "url": "/de/v1/marketdata"}"#;

    #[test]
    fn milliseconds_and_negative_prices_are_read() {
        let series = prices(TEXT, "de").unwrap();
        let pieces = series.agenda.pieces();
        assert_eq!(pieces[0].span.start().to_string(), "2026-03-01T10:00:00Z");
        assert_eq!([pieces[0].value.value, pieces[1].value.value], [42_090_000, -5_000_000]);
    }

    #[test]
    fn another_country_is_refused_and_a_price_that_cannot_be_is_a_gap() {
        let error = prices(TEXT, "at").unwrap_err().to_string();
        assert!(error.contains("asked for country \"at\", the answer says \"de\""), "{error}");
        assert!(prices(&TEXT.replace(", \"url\": \"/de/v1/marketdata\"", ""), "at").is_ok());
        let series = prices(&TEXT.replace("42.09", "1e7"), "de").unwrap();
        assert_eq!((series.agenda.pieces().len(), series.notes.len()), (1, 1));
    }

    #[test]
    fn other_units_fractions_of_seconds_and_empty_lists_are_no_prices() {
        assert!(prices(&TEXT.replace("Eur/MWh", "ct/kWh"), "de").is_err());
        assert!(prices(&TEXT.replace("1772366400000", "1772366400001"), "de").is_err());
        let empty = prices(r#"{"object": "list", "data": []}"#, "de");
        assert!(matches!(empty, Err(FeedError::NotPublished { .. })));
    }
}
