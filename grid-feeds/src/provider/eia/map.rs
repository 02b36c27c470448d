//! From rows in any order to an agenda.

use std::collections::BTreeSet;

use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::fuel::fuel;
use super::wire::{Answer, Page, Row};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Series, assemble, excerpt, instant,
    nearest_millionths,
};
use crate::provider::generation::{Fuel, Mix};
use crate::provider::json;

const HOUR: Seconds = Seconds::new(3600);

/// What says that there are more pages, which are asked for anyhow.
const INCOMPLETE: &str = "incomplete return";

/// Reads a page.
///
/// # Errors
/// What is not JSON of this shape, hours of local time.
pub fn read(text: &str) -> Result<Page, FeedError> {
    let answer: Answer = json(text)?;
    Identity { what: "frequency", asked: "hourly", setting: "`base_url`" }
        .told("/response/frequency", answer.response.frequency.as_deref())?;
    Ok(answer.response)
}

/// How many rows there are in all pages; `None` where the page does not say.
pub(super) fn total(page: &Page) -> Option<usize> {
    page.total.as_ref()?.0.parse().ok()
}

/// CO2 intensity of what `respondent` generates, from the pages of one answer.
///
/// A row without a value is a gap of its fuel. A code that is not known counts as other generation,
/// which is the dirtiest but for coal, and is noted: new ones appear without notice.
///
/// # Errors
/// Another authority or unit, stamps that are no hours, words for numbers.
pub fn intensities(
    pages: &[Page],
    respondent: &str,
    factors: Factors,
) -> Result<Series, FeedError> {
    let mut mix = Mix::new(factors);
    let mut strange = BTreeSet::new();
    for (index, row) in pages.iter().flat_map(|page| &page.data).enumerate() {
        let place = |field: &str| format!("/response/data/{index}/{field}");
        let is_of = |what, asked, setting| Identity { what, asked, setting };
        is_of("respondent", respondent, "`respondent`")
            .named(&place("respondent"), row.respondent.as_deref())?;
        is_of("unit", "megawatthours", "`base_url`")
            .told(&place("value-units"), row.value_units.as_deref())?;
        let span = hour(&row.period).ok_or_else(|| {
            let message = format!("{:?} is no hour of UTC", excerpt(&row.period));
            FeedError::payload(place("period"), message)
        })?;
        let Some(power) =
            power(row).map_err(|message| FeedError::payload(place("value"), message))?
        else {
            continue;
        };
        let fuel = fuel(&row.fueltype).unwrap_or_else(|| {
            strange.insert(row.fueltype.as_str());
            Fuel::Unknown
        });
        mix.add(&row.fueltype, fuel, span, power);
    }
    let mut notes = notes(pages);
    for code in strange {
        notes.push(format!("fuel {:?} is not known and counts as other", excerpt(code)));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        let message = format!("no hour of respondent {respondent:?} has all of its fuels");
        return Err(FeedError::not_published(message));
    }
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// What a fuel generated in an hour, as millionths of a megawatt: a megawatt-hour in an hour is a
/// megawatt.
fn power(row: &Row) -> Result<Option<i64>, String> {
    let Some(number) = &row.value else { return Ok(None) };
    let exact = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
    exact.map(Some).ok_or_else(|| format!("{:?} is not a number", excerpt(&number.0)))
}

/// The hour that ends at `period`, such as `2026-03-10T14`; the stamps of local hours have an offset.
fn hour(period: &str) -> Option<Span> {
    let is_of_utc = period.len() == "2026-03-10T14".len();
    let end = instant(&format!("{period}:00Z")).filter(|_| is_of_utc)?;
    if end < Timestamp::MIN + HOUR { None } else { Span::new(end - HOUR, end) }
}

fn notes(pages: &[Page]) -> Vec<String> {
    let mut notes = Vec::new();
    for warning in pages.iter().flat_map(|page| &page.warnings) {
        let name = warning.warning.as_deref().unwrap_or("a warning");
        if name != INCOMPLETE {
            let words = warning.description.as_deref().unwrap_or_default();
            notes.push(excerpt(&format!("{name}: {words}")));
        }
    }
    notes.dedup();
    notes
}
