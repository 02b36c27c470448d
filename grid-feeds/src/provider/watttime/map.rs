//! From points to an agenda: 1 lb/MWh is 0.45359237 g/kWh.

use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Answer;
use crate::feed::{
    Accounting, Factors, FeedError, Kind, Quality, Reading, Series, assemble, instant,
    instant_to_second, millionths,
};
use crate::provider::json;

/// Steps that there are.
const STEPS_S: std::ops::RangeInclusive<i64> = 60..=3600;

/// Reads an answer.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Answer, FeedError> {
    json(text)
}

/// The intensities of answers, each with the quality of its values: history and forecast together.
///
/// # Errors
/// Other units than pounds per MWh, two signals, words for numbers, starts off the grid.
pub fn intensities(answers: &[(Answer, Quality)]) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut accounting = None;
    let mut issued_at: Option<Timestamp> = None;
    for (answer, quality) in answers {
        let meta = &answer.meta;
        if meta.units != "lbs_co2_per_mwh" {
            let message = format!("is {}, not lbs_co2_per_mwh", meta.units);
            return Err(FeedError::payload("/meta/units", message));
        }
        let here = accounting_of(&meta.signal_type)?;
        if *accounting.get_or_insert(here) != here {
            return Err(FeedError::payload("/meta/signal_type", "two signals"));
        }
        issued_at = issued_at.max(meta.generated_at.as_deref().and_then(instant_to_second));
        let model = meta.model.as_ref().and_then(|model| model.date.as_ref());
        notes.extend(model.map(|date| format!("model of {date}")));
        notes.extend(meta.warnings.iter().filter_map(|warning| warning.message.clone()));
        readings.extend(points(answer, *quality)?);
    }
    notes.dedup();
    let (Some(accounting), false) = (accounting, readings.is_empty()) else {
        return Err(FeedError::not_published("no points"));
    };
    let kind = Kind::Co2 { accounting, factors: Factors::Direct };
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at, agenda, notes })
}

fn accounting_of(signal: &str) -> Result<Accounting, FeedError> {
    match signal {
        "co2_moer" => Ok(Accounting::Marginal),
        "co2_aoer" => Ok(Accounting::Average),
        other => Err(FeedError::payload("/meta/signal_type", format!("{other} is no intensity"))),
    }
}

/// The points of an answer that have a value.
fn points(answer: &Answer, quality: Quality) -> Result<Vec<Reading>, FeedError> {
    let grams_per_pound = Decimal::new(45_359_237, 8);
    let step = Seconds::new(answer.meta.data_point_period_seconds);
    if !STEPS_S.contains(&step.get()) {
        let message = format!("{} s is no step", step.get());
        return Err(FeedError::payload("/meta/data_point_period_seconds", message));
    }
    let mut readings = Vec::with_capacity(answer.data.len());
    for (index, point) in answer.data.iter().enumerate() {
        let place = |field: &str| format!("/data/{index}/{field}");
        let span = instant(&point.point_time)
            .filter(|start| start.ceil_to(step) == *start)
            .and_then(|start| Span::starting(start, step))
            .ok_or_else(|| FeedError::payload(place("point_time"), "is no start"))?;
        let Some(number) = &point.value else { continue };
        let value = number
            .decimal()
            .and_then(|pounds| millionths(pounds, grams_per_pound))
            .ok_or_else(|| FeedError::payload(place("value"), "is not a number"))?;
        readings.push(Reading { span, value, quality });
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"data": [
        {"point_time": "2026-05-01T00:00:00+00:00", "value": 870.0},
        {"point_time": "2026-05-01T00:05:00+00:00", "value": 425.01605069},
        {"point_time": "2026-05-01T00:10:00+00:00", "value": null}],
        "meta": {"region": "CAISO_NORTH", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh",
        "data_point_period_seconds": 300, "generated_at": "2026-05-01T00:00:00+00:00",
        "model": {"date": "2026-03-01"}, "warnings": [{"message": "imputed"}]}}"#;

    fn series(texts: &[&str]) -> Result<Series, FeedError> {
        let read = |text: &&str| Ok((read(text)?, Quality::Forecast));
        intensities(&texts.iter().map(read).collect::<Result<Vec<_>, FeedError>>()?)
    }

    /// 870 x 0.45359237 = 394.6253619; 425.01605069 x 0.45359237 = 192.7840377 (both rounded to the
    /// millionth).
    #[test]
    fn pounds_per_mwh_become_grams_per_kwh_and_are_marginal() {
        let series = series(&[TEXT]).unwrap();
        let values: Vec<i64> =
            series.agenda.pieces().iter().map(|piece| piece.value.value).collect();
        assert_eq!(values, [394_625_362, 192_784_038]);
        assert_eq!(series.kind.to_string(), "marginal direct CO2 in g/kWh");
        assert_eq!(series.notes, ["model of 2026-03-01", "imputed"]);
    }

    #[test]
    fn other_units_and_signals_are_refused() {
        assert!(series(&[&TEXT.replace("lbs_co2_per_mwh", "percentile")]).is_err());
        assert!(series(&[&TEXT.replace("co2_moer", "health_damage")]).is_err());
        assert!(series(&[TEXT, &TEXT.replace("co2_moer", "co2_aoer")]).is_err());
    }

    #[test]
    fn chunks_that_overlap_by_a_point_are_one_series() {
        let next = TEXT.replace("00:10:00", "00:15:00").replace("00:05:00", "00:10:00");
        let next = next.replace("00:00:00+00:00\", \"value", "00:05:00+00:00\", \"value");
        let next = next.replace("870.0", "425.01605069");
        let series = series(&[TEXT, &next]).unwrap();
        assert_eq!(series.agenda.pieces().len(), 3);
        assert_eq!(series.notes.len(), 4, "no conflict: {:?}", series.notes);
    }

    #[test]
    fn no_points_are_not_published() {
        let text = TEXT.replace("870.0", "null").replace("425.01605069", "null");
        assert!(matches!(series(&[&text]), Err(FeedError::NotPublished { .. })));
        assert!(series(&[&TEXT.replace("00:05:00", "00:06:00")]).is_err());
    }
}
