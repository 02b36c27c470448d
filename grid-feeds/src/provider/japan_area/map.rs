//! From files to an agenda.

use jiff::civil::Date;
use planner::time::{Seconds, Span};
use rust_decimal::Decimal;

use super::wire::{AreaFile, Row};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Series, assemble, decimal, excerpt,
    nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::generation::{Fuel, Mix};
use crate::provider::japanese::{HALF_HOUR, ZONE, date};

/// The columns of what generates, in the spelling of ASCII: nuclear power, gas, coal, oil, other heat, water, the earth's heat,
/// biomass, the sun, the wind, other.
const KINDS: [(&str, Fuel); 11] = [
    ("原子力", Fuel::Nuclear),
    ("火力(LNG)", Fuel::Gas),
    ("火力(石炭)", Fuel::Coal),
    ("火力(石油)", Fuel::Oil),
    ("火力(その他)", Fuel::Unknown),
    ("水力", Fuel::Hydro),
    ("地熱", Fuel::Geothermal),
    ("バイオマス", Fuel::Biomass),
    ("太陽光発電実績", Fuel::Solar),
    ("風力発電実績", Fuel::Wind),
    ("その他", Fuel::Unknown),
];

/// The columns beside them: when, demand, pumped storage, batteries, lines to other areas, the sum.
const NOT_GENERATION: [&str; 7] =
    ["DATE", "TIME", "エリア需要", "揚水", "蓄電池", "連系線", "合計"];

/// So end the names of columns of what was not let into the grid.
const CURTAILED: &str = "出力制御量";

/// What an area generated in a month, in millionths of a megawatt by kind.
#[derive(Debug)]
pub struct AreaRecord {
    powers: Vec<(usize, Span, i64)>,
}

/// Reads the file of the month that begins at `month`.
///
/// # Errors
/// Another unit or month, columns that are missing or not known, words for numbers; what is no such file.
pub fn read(text: &str, month: Date) -> Result<AreaRecord, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    let file = AreaFile::read(text)?;
    let kinds = kinds(&file.columns)?;
    let (day, time) = (position(&file.columns, "DATE")?, position(&file.columns, "TIME")?);
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let month = month.strftime("%Y-%m").to_string();
    let mut powers = Vec::new();
    for row in &file.rows {
        let cell = |at: usize| row.cells.get(at).map(String::as_str).unwrap_or_default();
        // Some files end with rows of nothing but commas.
        if row.cells.iter().all(String::is_empty) {
            continue;
        }
        let place = format!("line {}", row.line);
        let wrong = |text: &str| {
            FeedError::payload(&place, format!("{:?} is no half-hour of a day", excerpt(text)))
        };
        let date = date(cell(day)).ok_or_else(|| wrong(cell(day)))?;
        Identity { what: "month", asked: &month, setting: "`base_url`" }
            .named(&place, Some(&date.strftime("%Y-%m").to_string()))?;
        let passed = passed(cell(time)).ok_or_else(|| wrong(cell(time)))?;
        let start = local.day_start(date).map_err(FeedError::calendar)? + passed;
        let span = Span::starting(start, HALF_HOUR).ok_or_else(|| wrong(cell(time)))?;
        for (kind, &at) in kinds.iter().enumerate() {
            powers.extend(power(row, cell(at))?.map(|power| (kind, span, power)));
        }
    }
    Ok(AreaRecord { powers })
}

/// Where the column of each kind is.
fn kinds(columns: &[String]) -> Result<Vec<usize>, FeedError> {
    let is_known = |name: &str| {
        name.is_empty()
            || NOT_GENERATION.contains(&name)
            || name.ends_with(CURTAILED)
            || KINDS.iter().any(|(kind, _)| *kind == name)
    };
    if let Some(unknown) = columns.iter().find(|name| !is_known(name)) {
        let message = format!("{:?} is no known column", excerpt(unknown));
        return Err(FeedError::payload("line 2", message));
    }
    KINDS.iter().map(|(kind, _)| position(columns, kind)).collect()
}

fn position(columns: &[String], name: &str) -> Result<usize, FeedError> {
    let found = columns.iter().position(|column| column == name);
    found.ok_or_else(|| FeedError::payload("line 2", format!("has no column {name}")))
}

/// How much of the day has passed at `0:00`, `00:30`, ...: half-hours are named by their starts.
fn passed(time: &str) -> Option<Seconds> {
    let (hour, minute) = time.split_once(':')?;
    let is_whole = matches!(hour.len(), 1 | 2) && hour.bytes().all(|byte| byte.is_ascii_digit());
    let hour: i64 = hour.parse().ok().filter(|hour| is_whole && *hour < 24)?;
    match minute {
        "00" => Some(Seconds::new(hour * 3600)),
        "30" => Some(Seconds::new(hour * 3600 + 1800)),
        _ => None,
    }
}

/// Millionths of a megawatt; `None` where there is no value, as in half-hours to come.
fn power(row: &Row, cell: &str) -> Result<Option<i64>, FeedError> {
    if matches!(cell, "" | "-" | "－") {
        return Ok(None);
    }
    let power = decimal(cell).ok_or_else(|| {
        let message = format!("{:?} is no number", excerpt(cell));
        FeedError::payload(format!("line {}", row.line), message)
    })?;
    Ok(Some(nearest_millionths(power, Decimal::ONE)))
}

/// The CO2 intensity of what was generated in the half-hours that touch `window`.
///
/// # Errors
/// Where no half-hour has all kinds.
pub fn intensities(
    records: &[AreaRecord],
    window: Span,
    factors: Factors,
) -> Result<Series, FeedError> {
    let mut mix = Mix::new(factors);
    for &(kind, span, power) in records.iter().flat_map(|record| &record.powers) {
        let known = KINDS.get(kind).filter(|_| span.overlaps(window));
        if let Some((name, fuel)) = known {
            mix.add(name, *fuel, span, power);
        }
    }
    let mut notes = Vec::new();
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no half-hour has all kinds of generation"));
    }
    Ok(Series { kind, issued_at: None, agenda, notes })
}
