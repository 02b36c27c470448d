//! From files of weeks to agendas.
//!
//! A file says nothing of its series: neither its zone nor its kind nor its unit. It does say the
//! times of its values, which must lie in its week.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::filter;
use super::wire::{WeekFile, WeekIndex};
use crate::feed::{
    Accounting, Factors, FeedError, Kind, Number, Quality, Reading, Series, assemble,
    nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::generation::Mix;
use crate::provider::json;

/// Weeks begin with the Mondays of this zone.
pub(super) const ZONE: &str = "Europe/Berlin";

/// How long values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileStep {
    /// An hour.
    Hour,
    /// A quarter of an hour.
    QuarterHour,
}

/// A week of a series, as its file says.
#[derive(Debug)]
pub struct SeriesWeek {
    /// When the file was written.
    created: Option<Timestamp>,
    /// In millionths of the file's unit; without what is not known.
    values: Vec<(Span, i64)>,
}

/// The generation of a week by the number of its series; `None` where there is no file of it.
pub type GenerationWeek = BTreeMap<u32, Option<SeriesWeek>>;

impl FileStep {
    /// Its word in the names of files.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::QuarterHour => "quarterhour",
        }
    }

    /// How long values hold.
    pub const fn step(self) -> Seconds {
        match self {
            Self::Hour => Seconds::new(3600),
            Self::QuarterHour => Seconds::new(900),
        }
    }
}

/// The starts of the weeks of an index that touch `window`.
///
/// # Errors
/// What is not JSON of this shape, and starts that are no midnight of a Monday.
pub fn weeks(text: &str, window: Span) -> Result<Vec<Span>, FeedError> {
    let index: WeekIndex = json(text)?;
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut weeks = Vec::new();
    for milliseconds in index.timestamps {
        let start = instant(milliseconds)?;
        let week = week(start, &local)?;
        if !week.overlaps(window) {
            continue;
        }
        if week.start() != start {
            return Err(FeedError::payload(start, "is no start of a week"));
        }
        weeks.push(week);
    }
    weeks.sort_unstable();
    weeks.dedup();
    Ok(weeks)
}

/// Reads the file of a `week`.
///
/// # Errors
/// Values of another week or between the steps, words for numbers, and what is not JSON of this shape.
pub fn read(text: &str, week: Span, resolution: FileStep) -> Result<SeriesWeek, FeedError> {
    let file: WeekFile = json(text)?;
    let step = resolution.step();
    let mut values = Vec::new();
    for (milliseconds, number) in file.series {
        let start = instant(milliseconds)?;
        if !week.contains(start) {
            let (asked, came) = (format!("the week {week}"), start.to_string());
            return Err(FeedError::mismatch("/series", asked, &came, "`base_url`"));
        }
        let span = Span::starting(start, step).filter(|_| start.ceil_to(step) == start);
        let span = span
            .ok_or_else(|| FeedError::payload(start, format!("is no start of {} s", step.get())))?;
        values.extend(value(number.as_ref(), start)?.map(|value| (span, value)));
    }
    let created = file.meta_data.and_then(|about| second(about.created?));
    Ok(SeriesWeek { created, values })
}

/// The prices of weeks in `window`.
///
/// # Errors
/// Where there are none.
pub fn prices(weeks: &[SeriesWeek], window: Span) -> Result<Series, FeedError> {
    let values = weeks.iter().flat_map(|week| &week.values);
    let readings = values.filter(|(span, _)| span.overlaps(window)).map(|&(span, value)| Reading {
        span,
        value,
        quality: Quality::Measured,
    });
    let readings: Vec<Reading> = readings.collect();
    if readings.is_empty() {
        return Err(FeedError::not_published(format!("no prices of {window}")));
    }
    let kind = Kind::Price { currency: Currency::EUR };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    let issued_at = weeks.iter().filter_map(|week| week.created).max();
    Ok(Series { kind, issued_at, agenda, notes })
}

/// The CO2 intensities of weeks in `window`: those of the mix of what is generated. A time at which a
/// kind is missing is a gap, and so is a week that has no file of one.
///
/// # Errors
/// Where no time has all kinds.
pub fn intensities(
    weeks: &[GenerationWeek],
    window: Span,
    resolution: FileStep,
    factors: Factors,
) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    // Files have megawatt-hours of each step.
    let steps_an_hour = Decimal::from(3600 / resolution.step().get());
    let mut mix = Mix::new(factors);
    let mut notes = Vec::new();
    let mut incomplete = 0;
    for week in weeks {
        for (span, mut energies) in by_span(week, window) {
            if local.date(span.start()).map_err(FeedError::calendar)? >= filter::NO_NUCLEAR_FROM {
                energies.insert(filter::NUCLEAR, 0);
            }
            if energies.len() < filter::KINDS {
                incomplete += 1;
                continue;
            }
            for (series, energy) in energies {
                let power = nearest_millionths(Decimal::new(energy, 6), steps_an_hour);
                mix.add(&series.to_string(), filter::fuel(series), span, power);
            }
        }
        let missing = week.iter().filter(|(_, file)| file.is_none());
        notes
            .extend(missing.map(|(series, _)| format!("a week lacks the file of series {series}")));
    }
    if incomplete > 0 {
        notes.push(format!("{incomplete} steps lack a kind of generation and are gaps"));
    }
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    if readings.is_empty() {
        return Err(FeedError::not_published("no time has all kinds of generation"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let agenda = assemble(kind, readings, &mut notes)?;
    let files = weeks.iter().flatten().filter_map(|(_, file)| file.as_ref());
    let issued_at = files.filter_map(|file| file.created).max();
    Ok(Series { kind, issued_at, agenda, notes })
}

/// What each series has in each step of `window`; of two values the larger.
fn by_span(week: &GenerationWeek, window: Span) -> BTreeMap<Span, BTreeMap<u32, i64>> {
    let mut steps: BTreeMap<Span, BTreeMap<u32, i64>> = BTreeMap::new();
    for (&series, file) in week {
        let values = file.iter().flat_map(|file| &file.values);
        for &(span, energy) in values.filter(|(span, _)| span.overlaps(window)) {
            let most = steps.entry(span).or_default().entry(series).or_insert(energy);
            *most = energy.max(*most);
        }
    }
    steps
}

/// The week that `start` lies in.
fn week(start: Timestamp, local: &LocalTime) -> Result<Span, FeedError> {
    let monday = monday(local.date(start).map_err(FeedError::calendar)?)?;
    let next = monday.checked_add(jiff::ToSpan::days(7)).map_err(FeedError::calendar)?;
    let midnight = |day: Date| local.day_start(day).map_err(FeedError::calendar);
    Span::new(midnight(monday)?, midnight(next)?)
        .ok_or_else(|| FeedError::payload(start, "lies in no week"))
}

fn monday(day: Date) -> Result<Date, FeedError> {
    if day.weekday() == Weekday::Monday {
        return Ok(day);
    }
    day.nth_weekday(-1, Weekday::Monday).map_err(FeedError::calendar)
}

/// Whole seconds of milliseconds.
fn instant(milliseconds: i64) -> Result<Timestamp, FeedError> {
    let whole = milliseconds.rem_euclid(1000) == 0;
    second(milliseconds).filter(|_| whole).ok_or_else(|| {
        FeedError::payload(milliseconds, "is no time of whole seconds in milliseconds")
    })
}

/// The second that milliseconds are in.
fn second(milliseconds: i64) -> Option<Timestamp> {
    Some(Timestamp::from_unix_seconds(milliseconds.div_euclid(1000)))
        .filter(|at| (Timestamp::MIN..=Timestamp::MAX).contains(at))
}

/// In millionths; `None` for a value that is not known.
fn value(number: Option<&Number>, start: Timestamp) -> Result<Option<i64>, FeedError> {
    let Some(number) = number else { return Ok(None) };
    let value = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
    Ok(Some(value.ok_or_else(|| FeedError::payload(start, "is not a number"))?))
}
