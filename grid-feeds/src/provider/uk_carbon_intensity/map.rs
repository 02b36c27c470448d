//! From half-hours to an agenda.

use planner::time::Span;
use rust_decimal::Decimal;

use super::wire::{Answer, HalfHour, Region};
use crate::feed::{
    Accounting, Factors, FeedError, Kind, Number, Quality, Reading, Series, assemble, instant,
    millionths,
};
use crate::http::excerpt;
use crate::provider::json;

/// Reads the half-hours of an answer, national or regional.
///
/// # Errors
/// `{}` and an empty list are not published yet, though they come with status 200.
pub fn read(text: &str) -> Result<Vec<HalfHour>, FeedError> {
    let answer: Answer = json(text)?;
    if let Some(refusal) = answer.error {
        let words = [refusal.code, refusal.message].into_iter().flatten().collect::<Vec<_>>();
        return Err(FeedError::Refused { status: 400, message: excerpt(&words.join(": ")) });
    }
    let data = answer.data.as_ref().map_or("[]", |data| data.get());
    let half_hours: Vec<HalfHour> = if data.trim_start().starts_with('{') {
        serde_json::from_str::<Region>(data).map_err(FeedError::json)?.data
    } else {
        serde_json::from_str(data).map_err(FeedError::json)?
    };
    if half_hours.is_empty() {
        return Err(FeedError::not_published("an answer without half-hours"));
    }
    Ok(half_hours)
}

/// The intensities of half-hours in any order: what is measured, else what is expected.
///
/// # Errors
/// Spans that are no spans, words for numbers.
pub fn intensities(half_hours: &[HalfHour]) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    for (index, half_hour) in half_hours.iter().enumerate() {
        let place = |field: &str| format!("/data/{index}/{field}");
        let span = instant(&half_hour.from)
            .zip(instant(&half_hour.to))
            .and_then(|(from, to)| Span::new(from, to))
            .filter(|span| span.length().get() == 1800)
            .ok_or_else(|| FeedError::payload(place("from"), "is no half-hour"))?;
        let intensity = &half_hour.intensity;
        let measured = intensity.actual.as_ref().map(|number| (number, Quality::Measured));
        let expected = intensity.forecast.as_ref().map(|number| (number, Quality::Forecast));
        if let Some((number, quality)) = measured.or(expected) {
            let value = exact(number)
                .ok_or_else(|| FeedError::payload(place("intensity"), "is not a number"))?;
            readings.push(Reading { span, value, quality });
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("half-hours without values"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

fn exact(number: &Number) -> Option<i64> {
    millionths(number.decimal()?, Decimal::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(text: &str) -> Result<Series, FeedError> {
        intensities(&read(text)?)
    }

    fn known(series: &Series) -> Vec<(i64, Quality)> {
        let pieces = series.agenda.pieces().iter();
        pieces.map(|piece| (piece.value.value / 1_000_000, piece.value.quality)).collect()
    }

    #[test]
    fn what_is_measured_counts_and_null_is_not_zero() {
        let text = r#"{"data": [
            {"from": "2026-03-01T12:00Z", "to": "2026-03-01T12:30Z",
             "intensity": {"forecast": 146, "actual": 151, "index": "low"}},
            {"from": "2026-03-01T12:30Z", "to": "2026-03-01T13:00Z",
             "intensity": {"forecast": 148, "actual": null, "index": "low"}},
            {"from": "2026-03-01T13:00Z", "to": "2026-03-01T13:30Z",
             "intensity": {"forecast": null, "actual": null, "index": "low"}}]}"#;
        let series = series(text).unwrap();
        assert_eq!(known(&series), [(151, Quality::Measured), (148, Quality::Forecast)]);
    }

    #[test]
    fn a_duplicate_half_hour_with_two_values_counts_the_dirtier_and_says_so() {
        let text = r#"{"data": [
            {"from": "2026-03-01T19:00Z", "to": "2026-03-01T19:30Z",
             "intensity": {"forecast": 140, "actual": 180}},
            {"from": "2026-03-01T19:00Z", "to": "2026-03-01T19:30Z",
             "intensity": {"forecast": 140, "actual": 171}}]}"#;
        let series = series(text).unwrap();
        assert_eq!(known(&series), [(180, Quality::Measured)]);
        assert_eq!(series.notes, ["two values for 2026-03-01T19:00:00Z to 2026-03-01T19:30:00Z"]);
    }

    #[test]
    fn empty_answers_with_status_200_are_not_published_yet() {
        for text in ["{}", r#"{"data": []}"#, r#"{"data": {"regionid": 3, "data": []}}"#] {
            assert!(matches!(series(text), Err(FeedError::NotPublished { .. })), "{text}");
        }
        assert!(matches!(series(""), Err(FeedError::Transient { .. })));
    }

    #[test]
    fn a_region_wraps_its_half_hours_in_an_object() {
        let text = r#"{"data": {"regionid": 3, "shortname": "North", "data": [
            {"from": "2026-03-01T12:00Z", "to": "2026-03-01T12:30Z",
             "intensity": {"forecast": 46, "index": "low"},
             "generationmix": [{"fuel": "gas", "perc": 43.6}]}]}}"#;
        assert_eq!(known(&series(text).unwrap()), [(46, Quality::Forecast)]);
    }

    #[test]
    fn refusals_and_spans_of_other_lengths_are_errors() {
        let refusal = r#"{"error": {"code": "400 Bad Request", "message": "Please enter a date"}}"#;
        assert!(matches!(series(refusal), Err(FeedError::Refused { .. })));
        let day = r#"{"data": [{"from": "2026-03-01T12:00Z", "to": "2026-03-02T12:00Z",
            "intensity": {"forecast": 46}}]}"#;
        assert!(matches!(series(day), Err(FeedError::Payload { .. })));
    }
}
