//! From half-hours to an agenda.

use planner::time::Span;
use rust_decimal::Decimal;

use super::wire::{Answer, HalfHour, Region};
use crate::feed::{
    Accounting, Factors, FeedError, Kind, Number, Quality, Reading, Series, assemble, excerpt,
    instant, nearest_millionths,
};
use crate::provider::json;

/// Reads the half-hours of an answer about a region, or all of Great Britain without.
///
/// # Errors
/// Another area. `{}` and an empty list are not published yet, though they come with status 200.
pub fn read(text: &str, region: Option<u8>) -> Result<Vec<HalfHour>, FeedError> {
    let answer: Answer = json(text)?;
    if let Some(refusal) = answer.error {
        let words = [refusal.code, refusal.message].into_iter().flatten().collect::<Vec<_>>();
        return Err(FeedError::Refused { status: 400, message: excerpt(&words.join(": ")) });
    }
    let data = answer.data.as_ref().map_or("[]", |data| data.get());
    let half_hours = half_hours(data, region)?;
    if half_hours.is_empty() {
        return Err(FeedError::not_published("an answer without half-hours"));
    }
    Ok(half_hours)
}

/// National answers are a list of half-hours; regional ones a region that has such a list, or a list
/// of one region.
fn half_hours(data: &str, asked: Option<u8>) -> Result<Vec<HalfHour>, FeedError> {
    let regions = if data.trim_start().starts_with('{') {
        Some(vec![serde_json::from_str::<Region>(data).map_err(FeedError::json)?])
    } else {
        serde_json::from_str::<Vec<Region>>(data).ok().filter(|regions| !regions.is_empty())
    };
    let other = |came: &str| {
        let area = |id: u8| format!("region {id}");
        let asked = asked.map_or_else(|| "Great Britain, without a region".to_owned(), area);
        Err(FeedError::mismatch("/data/regionid", asked, came, "`region`"))
    };
    let Some(regions) = regions else {
        let half_hours: Vec<HalfHour> = serde_json::from_str(data).map_err(FeedError::json)?;
        // An empty list says nothing of anybody.
        return match asked.filter(|_| !half_hours.is_empty()) {
            None => Ok(half_hours),
            Some(_) => other("Great Britain"),
        };
    };
    let mut half_hours = Vec::new();
    for region in regions {
        match region.id {
            Some(id) if asked == Some(id) => half_hours.extend(region.data),
            Some(id) => return other(&format!("region {id}")),
            None => return other("a region without its number"),
        }
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
            let value = nearest(number)
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

fn nearest(number: &Number) -> Option<i64> {
    Some(nearest_millionths(number.decimal()?, Decimal::ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(text: &str) -> Result<Series, FeedError> {
        intensities(&read(text, None)?)
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
        for (text, region) in [
            ("{}", None),
            (r#"{"data": []}"#, None),
            (r#"{"data": []}"#, Some(3)),
            (r#"{"data": {"regionid": 3, "data": []}}"#, Some(3)),
        ] {
            let nothing = read(text, region);
            assert!(matches!(nothing, Err(FeedError::NotPublished { .. })), "{text}");
        }
        assert!(matches!(series(""), Err(FeedError::Transient { .. })));
    }

    #[test]
    fn a_region_wraps_its_half_hours_in_an_object() {
        let text = r#"{"data": {"regionid": 3, "shortname": "North", "data": [
            {"from": "2026-03-01T12:00Z", "to": "2026-03-01T12:30Z",
             "intensity": {"forecast": 46, "index": "low"},
             "generationmix": [{"fuel": "gas", "perc": 43.6}]}]}}"#;
        let of = |text: &str, region| intensities(&read(text, region)?);
        assert_eq!(known(&of(text, Some(3)).unwrap()), [(46, Quality::Forecast)]);
        let list = text.replacen("{\"region", "[{\"region", 1).replace("]}}", "]}]}");
        assert_eq!(of(&list, Some(3)).unwrap(), of(text, Some(3)).unwrap());
        for (region, asked) in [(Some(4), "region 4"), (None, "Great Britain")] {
            let error = of(text, region).unwrap_err();
            assert!(matches!(error, FeedError::Payload { .. }), "{error}");
            assert!(error.to_string().contains(asked), "{error}");
            assert!(error.to_string().contains("region 3"), "{error}");
        }
        let national = r#"{"data": [{"from": "2026-03-01T12:00Z", "to": "2026-03-01T12:30Z",
            "intensity": {"forecast": 46}}]}"#;
        assert!(matches!(of(national, Some(3)), Err(FeedError::Payload { .. })));
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
