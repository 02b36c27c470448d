//! From rows in any order to an agenda.
//!
//! How long a value holds is not stated: all of a local day are of quarter-hours where any start is not that of an hour, else of
//! hours. Of a day that is partly published, beside days of quarter-hours, a few full hours do not tell: it is a gap.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::{Answer, Row};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Number, Quality, Series, assemble, excerpt,
    instant, nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::generation::{Fuel, Mix};
use crate::provider::json;

/// Days and times are those of this zone.
pub(super) const ZONE: &str = "Europe/Rome";

/// What generates, by the names of the interface. Heat of all fuels is one kind, most of it gas.
const KINDS: [(&str, Fuel); 5] = [
    ("Geothermal", Fuel::Geothermal),
    ("Hydro", Fuel::Hydro),
    ("Photovoltaic", Fuel::Solar),
    ("Thermal", Fuel::Gas),
    ("Wind", Fuel::Wind),
];

/// What producers consume themselves: what it is made of is not told, so that it does not count.
const SELF_CONSUMPTION: &str = "Self-consumption";

const QUARTER_HOUR: Seconds = Seconds::new(900);

const HOUR: Seconds = Seconds::new(3600);

/// The hours of a whole day: of the shortest, on which summer time begins.
const FEWEST_HOURS: usize = 23;

/// What one kind generated from one time on, as read.
#[derive(Debug)]
pub struct GenerationSample {
    /// By the clock of Italy.
    day: Date,
    start: Timestamp,
    /// `None` for what does not count.
    kind: Option<(&'static str, Fuel)>,
    /// Millionths of a megawatt; `None` where it is not told.
    power: Option<i64>,
}

/// Reads the answer about the days from the first of `days` to the second.
///
/// # Errors
/// Other days, another zone, times that the clock of Italy does not show, kinds and fields that are not known, words for numbers.
pub fn read(text: &str, days: (Date, Date)) -> Result<Vec<GenerationSample>, FeedError> {
    let answer: Answer = json(text)?;
    let rows = answer.actual_generation.unwrap_or_default();
    let said = excerpt(answer.result.message.as_deref().unwrap_or("nothing"));
    let status = answer.result.status.unwrap_or_default();
    let nothing_found = said.to_ascii_lowercase().contains("no results");
    if rows.is_empty() && (nothing_found || status == "Completed") {
        return Err(FeedError::not_published(format!("no rows; the supplier says: {said}")));
    }
    if status != "Completed" {
        let message = format!("{:?} is not \"Completed\": {said}", excerpt(&status));
        return Err(FeedError::payload("/result/status", message));
    }
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut samples = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        samples.push(sample(row, &format!("/actual_generation/{index}"), days, &local)?);
    }
    Ok(samples)
}

fn sample(
    row: &Row,
    place: &str,
    (first, last): (Date, Date),
    local: &LocalTime,
) -> Result<GenerationSample, FeedError> {
    Identity { what: "time zone", asked: ZONE, setting: "`base_url`" }
        .named(&format!("{place}/date_tz"), row.date_tz.as_deref())?;
    let start = start(row, local).ok_or_else(|| {
        let (date, offset) = (excerpt(&row.date), excerpt(&row.date_offset));
        let message = format!("{date:?} with the offset {offset:?} is no quarter-hour of {ZONE}");
        FeedError::payload(format!("{place}/date"), message)
    })?;
    let day = local.date(start).map_err(FeedError::calendar)?;
    if day < first || last < day {
        let asked = format!("days from {first} to {last}");
        return Err(FeedError::mismatch(format!("{place}/date"), asked, &row.date, "the clock"));
    }
    let name = row.primary_source.as_str();
    let kind = KINDS.into_iter().find(|(kind, _)| kind.eq_ignore_ascii_case(name));
    if kind.is_none() && !name.eq_ignore_ascii_case(SELF_CONSUMPTION) {
        let known = KINDS.map(|(kind, _)| kind).join(", ");
        let name = excerpt(name);
        let message = format!("{name:?} is no known kind; there are {known}, {SELF_CONSUMPTION}");
        return Err(FeedError::payload(format!("{place}/primary_source"), message));
    }
    let told = row.generation.as_ref().filter(|number| !matches!(&*number.0, "" | "null"));
    let power = told.map(|number| {
        power(number).ok_or_else(|| {
            let message = format!("{:?} is not a number", excerpt(&number.0));
            FeedError::payload(format!("{place}/actual_generation_GWh"), message)
        })
    });
    Ok(GenerationSample { day, start, kind, power: power.transpose()? })
}

/// The start of a row; `None` where it is no quarter-hour, or the clock of Italy never shows it with this offset.
fn start(row: &Row, local: &LocalTime) -> Option<Timestamp> {
    let start = instant(&format!("{}{}", row.date.replacen(' ', "T", 1), row.date_offset))?;
    let is_quarter_hour = start.as_unix_seconds() % QUARTER_HOUR.get() == 0;
    let shown = local.civil(start).ok()?.strftime("%Y-%m-%d %H:%M:%S").to_string();
    (is_quarter_hour && shown == row.date).then_some(start)
}

/// Millionths of a megawatt. Other answers of the interface have decimal commas, which would be taken for those of thousands.
fn power(number: &Number) -> Option<i64> {
    let value = number.decimal().filter(|_| !number.0.contains(','))?;
    Some(nearest_millionths(value, Decimal::ONE_THOUSAND))
}

/// The CO2 intensity of what was generated in the parts of `window` of which all kinds are told.
///
/// # Errors
/// Where a kind is told of no part.
pub fn intensities(
    samples: &[GenerationSample],
    window: Span,
    factors: Factors,
) -> Result<Series, FeedError> {
    let (steps, untold) = steps(samples);
    let mut mix = Mix::new(factors);
    let mut told = BTreeSet::new();
    for sample in samples {
        let span = steps.get(&sample.day).and_then(|&step| Span::starting(sample.start, step));
        let span = span.filter(|span| span.overlaps(window));
        if let (Some((name, fuel)), Some(power), Some(span)) = (sample.kind, sample.power, span) {
            mix.add(name, fuel, span, power);
            told.insert(name);
        }
    }
    if let Some((missing, _)) = KINDS.iter().find(|(name, _)| !told.contains(name)) {
        return Err(FeedError::not_published(format!("no value of {missing} is there")));
    }
    let mut notes =
        vec!["all thermal power counts as gas; self-consumption does not count".to_owned()];
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    if untold > 0 {
        notes.push(format!("{untold} days of few full hours do not tell their step and are gaps"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no time has all kinds of generation"));
    }
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// How long values of each day hold, and of how many days that is not told: those on which the start of an hour is alone, or,
/// where any other day is of quarter-hours, full hours are fewer than those of a whole day.
fn steps(samples: &[GenerationSample]) -> (BTreeMap<Date, Seconds>, usize) {
    let mut starts: BTreeMap<Date, BTreeSet<Timestamp>> = BTreeMap::new();
    for sample in samples {
        starts.entry(sample.day).or_default().insert(sample.start);
    }
    let fewest = if starts.values().all(are_hours) { 2 } else { FEWEST_HOURS };
    let step = |(&day, starts): (&Date, &BTreeSet<Timestamp>)| {
        if !are_hours(starts) {
            return Some((day, QUARTER_HOUR));
        }
        (starts.len() >= fewest).then_some((day, HOUR))
    };
    let steps: BTreeMap<Date, Seconds> = starts.iter().filter_map(step).collect();
    let untold = starts.len() - steps.len();
    (steps, untold)
}

fn are_hours(starts: &BTreeSet<Timestamp>) -> bool {
    starts.iter().all(|start| start.as_unix_seconds() % HOUR.get() == 0)
}
