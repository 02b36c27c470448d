//! From records in any order to an agenda.

use std::collections::BTreeMap;

use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::{Answer, Record};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant,
    nearest_millionths,
};
use crate::provider::json;

/// How final a record is, the least first: the three natures of the data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nature {
    RealTime,
    Consolidated,
    Definitive,
}

/// Reads one page of a data set: its records and how many there are in all.
///
/// # Errors
/// What is not JSON of either version; records of another data set, or not of all of France.
pub fn read(text: &str, dataset: &str) -> Result<(Vec<Record>, Option<usize>), FeedError> {
    let answer: Answer = json(text)?;
    let is_of = |what, asked, setting| Identity { what, asked, setting };
    for (index, record) in answer.records.iter().flatten().enumerate() {
        let place = format!("/records/{index}/datasetid");
        is_of("data set", dataset, "`dataset`").told(&place, record.datasetid.as_deref())?;
    }
    let records = match (answer.results, answer.records) {
        (Some(results), _) => results,
        (None, Some(records)) => records.into_iter().map(|record| record.fields).collect(),
        (None, None) => return Err(FeedError::payload("the answer", "has no results")),
    };
    let records: Vec<Record> = records;
    for (index, record) in records.iter().enumerate() {
        let area = record.libelle_region.as_deref().or(record.perimetre.as_deref());
        let place = format!("/results/{index}/perimetre");
        is_of("perimeter", "France", "`base_url`").told(&place, area)?;
    }
    Ok((records, answer.total_count))
}

/// The intensities of records whose spans last `step`.
///
/// Of several records of one start the most final counts. Records without a value, such as the
/// quarter-hours to come, are gaps.
///
/// # Errors
/// Starts off the grid of `step`, words for numbers.
pub fn intensities(records: &[Record], step: Seconds) -> Result<Series, FeedError> {
    let mut finest: BTreeMap<Timestamp, (Nature, Vec<i64>)> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        let place = |field: &str| format!("/results/{index}/{field}");
        let Some(value) = value(record).map_err(|words| {
            FeedError::payload(place("taux_co2"), format!("{words:?} is not a number"))
        })?
        else {
            continue;
        };
        let start = record.date_heure.as_deref().and_then(instant);
        let start = start.filter(|start| start.ceil_to(step) == *start);
        let start = start.ok_or_else(|| FeedError::payload(place("date_heure"), "is no start"))?;
        let nature = nature(record.nature.as_deref());
        let (best, values) = finest.entry(start).or_insert_with(|| (nature, Vec::new()));
        if nature > *best {
            *best = nature;
            values.clear();
        }
        if nature == *best {
            values.push(value);
        }
    }
    let readings: Vec<Reading> = finest
        .into_iter()
        .flat_map(|(start, (_, values))| values.into_iter().map(move |value| (start, value)))
        .filter_map(|(start, value)| {
            Some(Reading { span: Span::starting(start, step)?, value, quality: Quality::Measured })
        })
        .collect();
    if readings.is_empty() {
        return Err(FeedError::not_published("no record has an intensity"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };
    let mut notes = vec!["production in France; imports are not traced".to_owned()];
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// The value; `None` where it is absent or one of the words for that.
fn value(record: &Record) -> Result<Option<i64>, &str> {
    let Some(number) = &record.taux_co2 else { return Ok(None) };
    if matches!(&*number.0, "" | "-" | "ND") {
        return Ok(None);
    }
    let exact = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
    exact.map(Some).ok_or(&number.0)
}

fn nature(word: Option<&str>) -> Nature {
    match word {
        Some("Données définitives") => Nature::Definitive,
        Some("Données consolidées") => Nature::Consolidated,
        _ => Nature::RealTime,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: Seconds = Seconds::new(900);

    fn values(text: &str) -> Result<Vec<(String, i64)>, FeedError> {
        let series = intensities(&read(text, "eco2mix-national-tr")?.0, QUARTER)?;
        let pieces = series.agenda.pieces().iter();
        Ok(pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect())
    }

    #[test]
    fn unordered_records_are_put_in_order() {
        let text = r#"{"total_count": 3, "results": [
            {"date_heure": "2026-03-01T00:30:00+01:00", "taux_co2": 33},
            {"date_heure": "2026-03-01T00:00:00+01:00", "taux_co2": 31},
            {"date_heure": "2026-03-01T00:15:00+01:00", "taux_co2": 32}]}"#;
        let values: Vec<i64> = values(text).unwrap().into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [31_000_000, 32_000_000, 33_000_000]);
    }

    #[test]
    fn strings_for_numbers_are_read_in_both_versions() {
        let text = r#"{"nhits": 1, "records": [{"datasetid": "eco2mix-national-tr", "fields":
            {"date_heure": "2026-03-01T00:00:00+01:00", "taux_co2": "31", "eolien_offshore": "489",
             "nature": "Données temps réel", "pompage": -1420}}]}"#;
        assert_eq!(values(text).unwrap(), [("2026-02-28T23:00:00Z".to_owned(), 31_000_000)]);
        assert!(values(&text.replace("\"31\"", "\"3I\"")).is_err());
    }

    #[test]
    fn records_of_another_data_set_or_region_are_refused() {
        let record = |more: &str| {
            format!(
                r#"{{"records": [{{"datasetid": "eco2mix-national-tr", "fields":
                {{"date_heure": "2026-03-01T00:00:00+01:00", "taux_co2": 31{more}}}}}]}}"#
            )
        };
        assert_eq!(values(&record(", \"perimetre\": \"France\"")).unwrap().len(), 1);
        let regional = record("").replace("national", "regional");
        let bretagne = record(", \"libelle_region\": \"Bretagne\", \"perimetre\": \"Région\"");
        for (text, came) in [(&regional, "eco2mix-regional-tr"), (&bretagne, "Bretagne")] {
            let error = values(text).unwrap_err();
            assert!(matches!(error, FeedError::Payload { .. }), "{error}");
            assert!(error.to_string().contains(came), "{error}");
        }
    }

    #[test]
    fn records_with_nothing_but_a_load_forecast_are_gaps_and_not_zero() {
        let text = r#"{"results": [
            {"date_heure": "2026-03-01T00:00:00+01:00", "taux_co2": 31},
            {"date_heure": "2026-03-01T00:15:00+01:00", "taux_co2": null, "prevision_j": 36200},
            {"date_heure": "2026-03-01T00:30:00+01:00", "prevision_j": 36200},
            {"date_heure": "2026-03-01T00:45:00+01:00", "taux_co2": "ND"}]}"#;
        assert_eq!(values(text).unwrap().len(), 1);
        let nothing = r#"{"results": [{"date_heure": "2026-03-01T00:15:00+01:00"}]}"#;
        assert!(matches!(values(nothing), Err(FeedError::NotPublished { .. })));
    }

    #[test]
    fn definitive_counts_before_consolidated_and_real_time() {
        let text = r#"{"results": [
            {"date_heure": "2026-03-01T00:00:00+01:00", "nature": "Données définitives", "taux_co2": 29},
            {"date_heure": "2026-03-01T00:00:00+01:00", "nature": "Données temps réel", "taux_co2": 31},
            {"date_heure": "2026-03-01T00:00:00+01:00", "nature": "Données consolidées", "taux_co2": 30}]}"#;
        assert_eq!(values(text).unwrap()[0].1, 29_000_000);
    }

    /// Clocks go from 03:00 back to 02:00 on 2026-10-25: 02:30 comes twice with two offsets.
    #[test]
    fn the_hour_that_comes_twice_is_two_hours() {
        let text = r#"{"results": [
            {"date_heure": "2026-10-25T02:30:00+02:00", "taux_co2": 40},
            {"date_heure": "2026-10-25T02:30:00+01:00", "taux_co2": 41}]}"#;
        let values = values(text).unwrap();
        assert_eq!(values[0], ("2026-10-25T00:30:00Z".to_owned(), 40_000_000));
        assert_eq!(values[1], ("2026-10-25T01:30:00Z".to_owned(), 41_000_000));
    }
}
