//! From series to agendas.

use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::{NetworkAnswer, NetworkSeries, RegionSeries};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, excerpt,
    instant, instant_to_second, nearest_millionths,
};
use crate::provider::generation::{Fuel, Mix};
use crate::provider::json;

/// The network of all regions that can be asked for.
pub(super) const NETWORK: &str = "NEM";

/// How long a value holds.
pub(super) const STEP: Seconds = Seconds::new(300);

/// The step in the words of the interface.
pub(super) const INTERVAL: &str = "5m";

/// What the interface lists beside technologies: flows to other regions and loads that are switched.
const NOT_GENERATION: [&str; 6] =
    ["imports", "exports", "interconnector", "aggregator_vpp", "aggregator_dr", "demand_response"];

/// Reads the prices of `region`.
///
/// # Errors
/// Another region, network, metric, unit or step than asked for, words for numbers, a refusal.
pub fn prices(text: &str, region: &str) -> Result<Series, FeedError> {
    let answer: NetworkAnswer = json(text)?;
    let mut readings = Vec::new();
    for series in told(&answer)? {
        is_of(series, ("price", "$/MWh"), region)?;
        for result in &series.results {
            let price = |(span, value)| Reading { span, value, quality: Quality::Measured };
            readings.extend(values(result)?.into_iter().map(price));
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no prices"));
    }
    let currency = Currency::parse("AUD").map_err(FeedError::configuration)?;
    let kind = Kind::Price { currency };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: created(&answer), agenda, notes })
}

/// Reads the CO2 intensity of what is generated in `region`.
///
/// # Errors
/// As [`prices`], and unknown technologies.
pub fn intensities(text: &str, region: &str, factors: Factors) -> Result<Series, FeedError> {
    let answer: NetworkAnswer = json(text)?;
    let mut mix = Mix::new(factors);
    for series in told(&answer)? {
        is_of(series, ("power", "MW"), region)?;
        for result in &series.results {
            let name = result.columns.fueltech.as_deref().unwrap_or_default();
            let name = name.trim().to_ascii_lowercase();
            if NOT_GENERATION.contains(&name.as_str()) {
                continue;
            }
            let fuel = fuel(&name).ok_or_else(|| {
                let message = format!("{:?} is no known technology", excerpt(&name));
                FeedError::payload("/data/results/columns/fueltech", message)
            })?;
            for (span, power) in values(result)? {
                mix.add(&name, fuel, span, power);
            }
        }
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let mut notes = Vec::new();
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no instant has all technologies"));
    }
    Ok(Series { kind, issued_at: created(&answer), agenda, notes })
}

/// The series of an answer that is none of a failure.
fn told(answer: &NetworkAnswer) -> Result<&[NetworkSeries], FeedError> {
    if answer.success == Some(false) {
        let message = excerpt(answer.error.as_deref().unwrap_or("no reason"));
        return Err(FeedError::Refused { status: 200, message });
    }
    let series = answer.data.as_deref();
    series.ok_or_else(|| FeedError::payload("/data", "is missing"))
}

fn is_of(
    series: &NetworkSeries,
    (metric, unit): (&'static str, &'static str),
    region: &str,
) -> Result<(), FeedError> {
    let base = |what, asked| Identity { what, asked, setting: "`base_url`" };
    base("network", NETWORK).named("/data/network_code", Some(&series.network_code))?;
    base("metric", metric).named("/data/metric", Some(&series.metric))?;
    base("unit", unit).told("/data/unit", series.unit.as_deref())?;
    base("interval", INTERVAL).named("/data/interval", Some(&series.interval))?;
    let of_region = Identity { what: "region", asked: region, setting: "`region`" };
    for result in &series.results {
        of_region.named("/data/results/columns/region", result.columns.region.as_deref())?;
    }
    Ok(())
}

/// The values of a series by the interval that ends at the time that is said; nulls are gaps.
fn values(series: &RegionSeries) -> Result<Vec<(Span, i64)>, FeedError> {
    let mut values = Vec::new();
    for (time, number) in &series.data {
        let wrong = |message: &str| FeedError::payload(excerpt(time), message);
        let end = market_instant(time).ok_or_else(|| wrong("is no time"))?;
        let span = Span::new(end - STEP, end).filter(|span| span.start() >= Timestamp::MIN);
        let span = span.ok_or_else(|| wrong("is no time of an interval"))?;
        if let Some(number) = number {
            let value = number.decimal().map(|value| nearest_millionths(value, Decimal::ONE));
            values.push((span, value.ok_or_else(|| wrong("has a value that is not a number"))?));
        }
    }
    Ok(values)
}

/// An instant; without an offset it is in the market's time.
fn market_instant(text: &str) -> Option<Timestamp> {
    instant(text).or_else(|| instant(&format!("{text}+10:00")))
}

fn created(answer: &NetworkAnswer) -> Option<Timestamp> {
    answer.created_at.as_deref().and_then(instant_to_second)
}

/// The fuel of a technology; `None` for an unknown one.
fn fuel(name: &str) -> Option<Fuel> {
    Some(match name {
        "coal_black" | "coal_brown" => Fuel::Coal,
        // Combined cycle, open cycle, engines, steam turbines, gas of coal mines.
        "gas_ccgt" | "gas_ocgt" | "gas_recip" | "gas_steam" | "gas_wcmg" => Fuel::Gas,
        "distillate" => Fuel::Oil,
        "bioenergy_biogas" | "bioenergy_biomass" => Fuel::Biomass,
        "hydro" => Fuel::Hydro,
        "nuclear" => Fuel::Nuclear,
        "solar_rooftop" | "solar_thermal" | "solar_utility" => Fuel::Solar,
        "wind" | "wind_offshore" => Fuel::Wind,
        "battery" | "battery_charging" | "battery_discharging" | "pumps" => Fuel::Storage,
        _ => return None,
    })
}
