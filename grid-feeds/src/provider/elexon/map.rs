//! From rows to agendas.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;

use super::wire::{FuelRow, IndexRow, RowsOfElexon};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Number, Quality, Reading, Series, assemble,
    excerpt, instant, instant_to_second, nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::generation::{Fuel, Mix};
use crate::provider::json;

/// Settlement days are days of this zone.
const ZONE: &str = "Europe/London";

const HALF_HOUR: Seconds = Seconds::new(1800);

/// Which rows of generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FuelDataset {
    /// Every five minutes.
    #[default]
    Fuelinst,
    /// Means of half-hours.
    Fuelhh,
}

impl FuelDataset {
    /// Its name at the supplier.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fuelinst => "FUELINST",
            Self::Fuelhh => "FUELHH",
        }
    }

    /// How long a row holds.
    pub const fn step(self) -> Seconds {
        match self {
            Self::Fuelinst => Seconds::new(300),
            Self::Fuelhh => HALF_HOUR,
        }
    }
}

/// The market index of `index`, such as `APXMIDP`, of rows in any order. A half-hour without trades has no price.
///
/// # Errors
/// What are no such rows, words for numbers, nothing but rows of other providers of indices.
pub fn prices(text: &str, index: &str) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let rows: Vec<IndexRow> = rows(text)?;
    let (ours, others): (Vec<&IndexRow>, Vec<&IndexRow>) =
        rows.iter().partition(|row| row.data_provider.trim().eq_ignore_ascii_case(index));
    if let Some(other) = others.first().filter(|_| ours.is_empty()) {
        Identity { what: "data provider", asked: index, setting: "`market_index`" }
            .named("/data/0/dataProvider", Some(&other.data_provider))?;
    }
    let mut readings = Vec::new();
    let (mut untraded, mut elsewhere) = (0, 0);
    for row in ours {
        let start = start(&row.start_time)?;
        let price = exact(row.price.as_ref(), &row.start_time)?;
        let volume = exact(row.volume.as_ref(), &row.start_time)?;
        let span = Span::starting(start, HALF_HOUR);
        if volume == Some(0) {
            untraded += 1;
        } else if !is_its_period(row, start, &local)? {
            elsewhere += 1;
        } else if let (Some(span), Some(value)) = (span, price) {
            readings.push(Reading { span, value, quality: Quality::Measured });
        }
    }
    let mut notes = Vec::new();
    for (count, what) in [
        (others.len(), "rows of other indices are left out"),
        (untraded, "half-hours without trades have no price and are gaps"),
        (elsewhere, "half-hours whose time and settlement period disagree are gaps"),
    ] {
        notes.extend((count > 0).then(|| format!("{count} {what}")));
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no half-hour with a price"));
    }
    let currency = Currency::parse("GBP").map_err(FeedError::configuration)?;
    let kind = Kind::Price { currency };
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// The rows of a stream, which is a list, or of an object that has the list.
fn rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, FeedError> {
    let rows: Vec<T> = if text.trim_start().starts_with('[') {
        json(text)?
    } else {
        json::<RowsOfElexon<T>>(text)?.data
    };
    if rows.is_empty() {
        return Err(FeedError::not_published("an answer without rows"));
    }
    Ok(rows)
}

fn start(text: &str) -> Result<Timestamp, FeedError> {
    instant(text)
        .ok_or_else(|| FeedError::payload("startTime", format!("{:?} is no time", excerpt(text))))
}

fn exact(number: Option<&Number>, start: &str) -> Result<Option<i64>, FeedError> {
    let exact = |number: &Number| {
        let value = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
        value.ok_or_else(|| FeedError::payload(start, "has a value that is not a number"))
    };
    number.map(exact).transpose()
}

/// Whether a row's settlement date and period, where it has both, begin at `start`. The first period begins at midnight; days
/// of the change of the clock have 46 and 50.
fn is_its_period(row: &IndexRow, start: Timestamp, local: &LocalTime) -> Result<bool, FeedError> {
    let (Some(date), Some(period)) = (&row.settlement_date, row.settlement_period) else {
        return Ok(true);
    };
    let Ok(date) = date.parse::<Date>() else { return Ok(false) };
    let midnight = local.day_start(date).map_err(FeedError::calendar)?;
    let passed = start - midnight;
    let is_of_day = local.date(start).map_err(FeedError::calendar)? == date;
    Ok(is_of_day
        && passed.get() % HALF_HOUR.get() == 0
        && passed.get() / HALF_HOUR.get() + 1 == period)
}

/// What was generated, by fuel and start: when it was published, and millionths of a megawatt.
type Powers<'a> = BTreeMap<(&'a str, Timestamp), (Option<Timestamp>, i64)>;

/// The CO2 intensity of rows of generation in any order. Of rows for one fuel and time, the one that was published last counts.
///
/// # Errors
/// What are no such rows, another data set, words for numbers.
pub fn intensities(
    text: &str,
    dataset: FuelDataset,
    factors: Factors,
) -> Result<Series, FeedError> {
    let rows: Vec<FuelRow> = rows(text)?;
    let identity = Identity { what: "data set", asked: dataset.name(), setting: "`dataset`" };
    let (mut imports, mut misplaced) = (0, 0);
    let mut powers = Powers::new();
    for row in &rows {
        identity.told("/dataset", row.dataset.as_deref())?;
        let start = start(&row.start_time)?;
        let Some(power) = exact(row.generation.as_ref(), &row.start_time)? else { continue };
        let kind = row.fuel_type.trim();
        if kind.starts_with("INT") {
            imports += 1;
        } else if start.ceil_to(dataset.step()) != start {
            misplaced += 1;
        } else {
            let published = row.publish_time.as_deref().and_then(instant_to_second);
            let latest = powers.entry((kind, start)).or_insert((published, power));
            *latest = (*latest).max((published, power));
        }
    }
    let mut notes = Vec::new();
    for (count, what) in [
        (imports, "flows over interconnectors are left out"),
        (misplaced, "rows that do not begin at a step of the data set are left out"),
    ] {
        notes.extend((count > 0).then(|| format!("{count} {what}")));
    }
    let issued_at = powers.values().filter_map(|(published, _)| *published).max();
    let (mut mix, mut strange) = (Mix::new(factors), BTreeSet::new());
    for ((kind, start), (_, power)) in powers {
        let fuel = fuel(kind).unwrap_or_else(|| {
            strange.insert(kind);
            Fuel::Unknown
        });
        if let Some(span) = Span::starting(start, dataset.step()) {
            mix.add(kind, fuel, span, power);
        }
    }
    let strange = strange.iter().map(|kind| excerpt(kind));
    notes.extend(strange.map(|kind| format!("fuel {kind:?} is not known and counts as other")));
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no instant has all kinds of generation"));
    }
    Ok(Series { kind, issued_at, agenda, notes })
}

/// The fuel of a `fuelType`; `None` for an unknown one.
fn fuel(kind: &str) -> Option<Fuel> {
    Some(match kind {
        // Gas turbines with and without a steam turbine behind them.
        "CCGT" | "OCGT" => Fuel::Gas,
        "OIL" => Fuel::Oil,
        "COAL" => Fuel::Coal,
        "NUCLEAR" => Fuel::Nuclear,
        "WIND" => Fuel::Wind,
        "BIOMASS" => Fuel::Biomass,
        // Rivers and reservoirs without pumps.
        "NPSHYD" => Fuel::Hydro,
        // Pumped storage.
        "PS" => Fuel::Storage,
        "OTHER" => Fuel::Unknown,
        _ => return None,
    })
}
