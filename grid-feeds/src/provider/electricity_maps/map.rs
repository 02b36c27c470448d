//! From hours to an agenda.

use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::{Answer, Hour};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant,
    instant_to_second, nearest_millionths,
};
use crate::provider::json;

/// How trial tokens mark their data.
const SANDBOX: &str = "SANDBOX_MODE_DATA";

/// Reads an answer.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Answer, FeedError> {
    json(text)
}

/// The intensities of answers about `zone`, history and forecast together.
///
/// # Errors
/// Another zone, scrambled data, other factors than asked for, unknown granularities, words for numbers.
pub fn intensities(answers: &[Answer], zone: &str, factors: Factors) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    let mut unknown = 0;
    let mut issued_at: Option<Timestamp> = None;
    for answer in answers {
        is_of_zone(answer, zone)?;
        let step = step(answer)?;
        issued_at = issued_at.max(answer.updated_at.as_deref().and_then(instant_to_second));
        let measured = answer.history.iter().chain(&answer.data);
        let measured = measured.map(|hour| (hour, Quality::Measured));
        let expected = answer.forecast.iter().map(|hour| (hour, Quality::Forecast));
        for (hour, quality) in measured.chain(expected) {
            issued_at = issued_at.max(hour.updated_at.as_deref().and_then(instant_to_second));
            match reading(hour, quality, step, factors)? {
                Some(reading) => readings.push(reading),
                None => unknown += 1,
            }
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no hour has an intensity"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let mut notes = Vec::new();
    if unknown > 0 {
        notes.push(format!("{unknown} hours without a value are gaps"));
    }
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at, agenda, notes })
}

/// An answer with hours names its zone, for all of them or at each.
fn is_of_zone(answer: &Answer, zone: &str) -> Result<(), FeedError> {
    let identity = Identity { what: "zone", asked: zone, setting: "`zone`" };
    identity.told("/zone", answer.zone.as_deref())?;
    for hour in answer.history.iter().chain(&answer.data).chain(&answer.forecast) {
        let place = format!("{}/zone", hour.datetime);
        match &answer.zone {
            Some(_) => identity.told(&place, hour.zone.as_deref())?,
            None => identity.named(&place, hour.zone.as_deref())?,
        }
    }
    Ok(())
}

fn step(answer: &Answer) -> Result<Seconds, FeedError> {
    Ok(Seconds::new(match answer.temporal_granularity.as_deref() {
        None | Some("hourly") => 3600,
        Some("15_minutes") => 900,
        Some("5_minutes") => 300,
        Some(other) => {
            let message = format!("unknown granularity {other}");
            return Err(FeedError::payload("/temporalGranularity", message));
        }
    }))
}

/// `None` where the hour has no value.
fn reading(
    hour: &Hour,
    quality: Quality,
    step: Seconds,
    factors: Factors,
) -> Result<Option<Reading>, FeedError> {
    let wrong = |field: &str, message: String| {
        FeedError::payload(format!("{}/{field}", hour.datetime), message)
    };
    let method = hour.estimation_method.as_deref().unwrap_or_default();
    if method == SANDBOX {
        return Err(FeedError::Sandbox { message: format!("estimationMethod {SANDBOX}") });
    }
    let asked = match factors {
        Factors::Direct => "direct",
        Factors::Lifecycle => "lifecycle",
    };
    if let Some(told) = hour.emission_factor_type.as_deref().filter(|told| *told != asked) {
        return Err(wrong("emissionFactorType", format!("is {told}, asked for {asked}")));
    }
    let span = instant(&hour.datetime)
        .filter(|start| start.ceil_to(step) == *start)
        .and_then(|start| Span::starting(start, step))
        .ok_or_else(|| wrong("datetime", format!("is no start of {} s", step.get())))?;
    let Some(number) = &hour.carbon_intensity else { return Ok(None) };
    let value = number
        .decimal()
        .map(|value| nearest_millionths(value, Decimal::ONE))
        .ok_or_else(|| wrong("carbonIntensity", "is not a number".to_owned()))?;
    let estimated = hour.is_estimated.unwrap_or(false) || !method.is_empty();
    let quality = if estimated { Quality::Estimated } else { quality };
    Ok(Some(Reading { span, value, quality }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(texts: &[&str]) -> Result<Series, FeedError> {
        let answers: Vec<Answer> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
        intensities(&answers, "DE", Factors::Lifecycle)
    }

    #[test]
    fn another_zone_is_refused_and_so_is_none() {
        for (text, place) in [
            (HISTORY.replacen("DE", "FR", 1), "/zone"),
            (
                HISTORY.replace("{\"zone\": \"DE\", \"carbon", "{\"zone\": \"FR\", \"carbon"),
                "T20:00",
            ),
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
        assert!(
            series.notes.iter().any(|note| note.contains("-5 cannot be")),
            "{:?}",
            series.notes
        );
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
        let quarters = text.replace(
            "\"zone\": \"DE\", \"data\"",
            "\"temporalGranularity\": \"15_minutes\", \"data\"",
        );
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
}
