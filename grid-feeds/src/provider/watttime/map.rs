//! From points to an agenda: 1 lb/MWh is 0.45359237 g/kWh.

use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Answer;
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant,
    instant_to_second, nearest_millionths,
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

/// The intensities of answers about a region and signal, each with the quality of its values: history
/// and forecast together.
///
/// # Errors
/// Another region or signal, other units than pounds per MWh, words for numbers, starts off the grid.
pub fn intensities(
    answers: &[(Answer, Quality)],
    (region, signal): (&str, &str),
) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut accounting = None;
    let mut issued_at: Option<Timestamp> = None;
    for (answer, quality) in answers {
        let meta = &answer.meta;
        let is_of = |what, asked, setting| Identity { what, asked, setting };
        is_of("region", region, "`region`").named("/meta/region", meta.region.as_deref())?;
        is_of("signal", signal, "`signal`").named("/meta/signal_type", Some(&meta.signal_type))?;
        is_of("unit", "lbs_co2_per_mwh", "`base_url`").named("/meta/units", Some(&meta.units))?;
        accounting = Some(accounting_of(signal)?);
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
            .map(|pounds| nearest_millionths(pounds, grams_per_pound))
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
        let answers = texts.iter().map(read).collect::<Result<Vec<_>, FeedError>>()?;
        intensities(&answers, ("CAISO_NORTH", "co2_moer"))
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
        let other = series(&[TEXT, &TEXT.replace("co2_moer", "co2_aoer")]).unwrap_err();
        assert!(other.to_string().contains("asked for signal \"co2_moer\""), "{other}");
    }

    #[test]
    fn another_region_is_refused_and_so_is_none() {
        let other = series(&[&TEXT.replace("CAISO_NORTH", "PJM_DC")]).unwrap_err().to_string();
        assert!(other.contains("\"CAISO_NORTH\"") && other.contains("\"PJM_DC\""), "{other}");
        assert!(series(&[&TEXT.replace("\"region\": \"CAISO_NORTH\", ", "")]).is_err());
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
