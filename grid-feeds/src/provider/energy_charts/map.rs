//! From parallel arrays to agendas.
//!
//! The step is not stated: it is the smallest distance between starts of one local day. A start
//! that is missing among them is a gap.

use std::collections::BTreeMap;

use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::{Co2Equivalents, Prices};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Number, Quality, Reading, Series, assemble,
    nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::json;

/// Days of the service are days of this zone.
pub(super) const ZONE: &str = "Europe/Berlin";

const STEPS_S: [i64; 3] = [900, 1800, 3600];

/// Reads the answer of `/price`.
///
/// # Errors
/// Arrays of different lengths, another unit, starts that are no regular steps, words for numbers.
pub fn prices(text: &str) -> Result<Series, FeedError> {
    let answer: Prices = json(text)?;
    let unit: String = answer.unit.split_whitespace().collect();
    Identity { what: "unit", asked: "EUR/MWh", setting: "`base_url`" }
        .named("/unit", Some(&unit))?;
    let mut notes: Vec<String> = answer.license_info.into_iter().collect();
    notes.extend(answer.deprecated.then(|| "the interface is deprecated".to_owned()));
    let kind = Kind::Price { currency: Currency::EUR };
    let values = values(&answer.unix_seconds, &answer.price, "/price")?;
    series(kind, &[(values, Quality::Measured)], notes)
}

/// Reads the answer of `/co2eq`: emissions of the whole life cycle.
///
/// # Errors
/// As [`prices`].
pub fn intensities(text: &str) -> Result<Series, FeedError> {
    let answer: Co2Equivalents = json(text)?;
    let notes = answer.deprecated.then(|| "the interface is deprecated".to_owned());
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Lifecycle };
    let starts = &answer.unix_seconds;
    let mut parts = Vec::new();
    for (numbers, quality, place) in [
        (&answer.co2eq, Quality::Measured, "/co2eq"),
        (&answer.co2eq_forecast, Quality::Forecast, "/co2eq_forecast"),
    ] {
        if !numbers.is_empty() {
            parts.push((values(starts, numbers, place)?, quality));
        }
    }
    series(kind, &parts, notes.into_iter().collect())
}

/// The values by start; `None` where the answer has none.
type Values = BTreeMap<Timestamp, Option<i64>>;

fn values(starts: &[i64], numbers: &[Option<Number>], place: &str) -> Result<Values, FeedError> {
    if starts.len() != numbers.len() {
        let message = format!("{} values for {} starts", numbers.len(), starts.len());
        return Err(FeedError::payload(place, message));
    }
    let mut values = Values::new();
    for (index, (&start, number)) in starts.iter().zip(numbers).enumerate() {
        let place = || format!("{place}/{index}");
        let start = Timestamp::from_unix_seconds(start);
        if !(Timestamp::MIN..=Timestamp::MAX).contains(&start) {
            return Err(FeedError::payload(place(), "is no time"));
        }
        let value = number.as_ref().map(|number| {
            let exact = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
            exact.ok_or_else(|| FeedError::payload(place(), "is not a number"))
        });
        let value = value.transpose()?;
        if values.insert(start, value).is_some_and(|earlier| earlier != value) {
            return Err(FeedError::payload(place(), format!("two values for {start}")));
        }
    }
    Ok(values)
}

fn series(
    kind: Kind,
    parts: &[(Values, Quality)],
    mut notes: Vec<String>,
) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut readings = Vec::new();
    for (values, quality) in parts {
        let steps = steps(values, &local)?;
        for (&start, &value) in values {
            let day = local.date(start).map_err(FeedError::calendar)?;
            let span = steps.get(&day).and_then(|&step| Span::starting(start, step));
            if let (Some(value), Some(span)) = (value, span) {
                readings.push(Reading { span, value, quality: *quality });
            }
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no values"));
    }
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// The step of each local day; a day with a single start has none.
fn steps(values: &Values, local: &LocalTime) -> Result<BTreeMap<Date, Seconds>, FeedError> {
    let mut steps: BTreeMap<Date, Seconds> = BTreeMap::new();
    for (&start, &next) in values.keys().zip(values.keys().skip(1)) {
        let day = local.date(start).map_err(FeedError::calendar)?;
        if local.date(next).map_err(FeedError::calendar)? == day {
            let distance = next - start;
            let step = steps.entry(day).or_insert(distance);
            *step = distance.min(*step);
        }
    }
    for (day, step) in &steps {
        if !STEPS_S.contains(&step.get()) {
            return Err(FeedError::payload(
                day,
                format!("{} s is no step of a market", step.get()),
            ));
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2025-10-07T00:00 in Berlin is 22:00 UTC the day before, 1,759,788,000.
    const MIDNIGHT: i64 = 1_759_788_000;

    fn answer(starts: &[i64], prices: &str) -> String {
        format!(
            r#"{{"license_info": "CC BY 4.0", "unix_seconds": {starts:?}, "price": {prices},
                "unit": "EUR / MWh", "deprecated": false}}"#
        )
    }

    fn lengths(series: &Series) -> Vec<i64> {
        series.agenda.pieces().iter().map(|piece| piece.span.length().get()).collect()
    }

    #[test]
    fn unix_seconds_arrays_take_their_step_from_the_distances() {
        let quarters = [MIDNIGHT, MIDNIGHT + 900, MIDNIGHT + 1800];
        let series = prices(&answer(&quarters, "[101.2, -5, 0]")).unwrap();
        assert_eq!(lengths(&series), [900, 900, 900]);
        assert_eq!(series.agenda.pieces()[1].value.value, -5_000_000);
        assert_eq!(series.notes, ["CC BY 4.0"]);
        let hours = [MIDNIGHT, MIDNIGHT + 3600];
        assert_eq!(lengths(&prices(&answer(&hours, "[1, 2]")).unwrap()), [3600, 3600]);
    }

    #[test]
    fn hours_of_one_day_and_quarter_hours_of_the_next_keep_their_lengths() {
        let starts = [MIDNIGHT - 7200, MIDNIGHT - 3600, MIDNIGHT, MIDNIGHT + 900, MIDNIGHT + 1800];
        let series = prices(&answer(&starts, "[1, 2, 3, 4, 5]")).unwrap();
        assert_eq!(lengths(&series), [3600, 3600, 900, 900, 900]);
    }

    #[test]
    fn nulls_and_missing_starts_are_gaps() {
        let starts = [MIDNIGHT, MIDNIGHT + 900, MIDNIGHT + 2700];
        let series = prices(&answer(&starts, "[1, null, 3]")).unwrap();
        assert_eq!(lengths(&series), [900, 900]);
        assert_eq!(series.agenda.at(Timestamp::from_unix_seconds(MIDNIGHT + 900)), None);
        assert_eq!(series.agenda.at(Timestamp::from_unix_seconds(MIDNIGHT + 1800)), None);
        let nothing = prices(&answer(&starts, "[null, null, null]"));
        assert!(matches!(nothing, Err(FeedError::NotPublished { .. })));
    }

    #[test]
    fn arrays_of_different_lengths_and_other_units_are_refused() {
        assert!(prices(&answer(&[MIDNIGHT, MIDNIGHT + 900], "[1]")).is_err());
        assert!(prices(&answer(&[MIDNIGHT, MIDNIGHT + 7], "[1, 2]")).is_err());
        let cents = answer(&[MIDNIGHT, MIDNIGHT + 900], "[1, 2]").replace("EUR / MWh", "ct / kWh");
        assert!(prices(&cents).unwrap_err().to_string().contains("asked for unit \"EUR/MWh\""));
    }

    #[test]
    fn a_price_that_cannot_be_is_a_gap() {
        let series = prices(&answer(&[MIDNIGHT, MIDNIGHT + 900], "[1e7, 2]")).unwrap();
        assert_eq!(lengths(&series), [900]);
        assert!(series.notes[1].contains("10000000 cannot be"), "{:?}", series.notes);
    }

    #[test]
    fn co2_is_measured_so_far_and_forecast_beyond() {
        let text = format!(
            r#"{{"unix_seconds": [{MIDNIGHT}, {}, {}], "co2eq": [300.5, null, null],
                "co2eq_forecast": [290, 310, null]}}"#,
            MIDNIGHT + 900,
            MIDNIGHT + 1800,
        );
        let series = intensities(&text).unwrap();
        let known: Vec<_> = series.agenda.pieces().iter().map(|piece| piece.value).collect();
        assert_eq!((known[0].value, known[0].quality), (300_500_000, Quality::Measured));
        assert_eq!((known[1].value, known[1].quality), (310_000_000, Quality::Forecast));
        assert_eq!(known.len(), 2);
    }
}
