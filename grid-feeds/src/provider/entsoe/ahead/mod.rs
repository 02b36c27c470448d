//! CO2 ahead of time: what the platform's forecasts of generation say by [`carbon_ahead`](crate::carbon_ahead).

mod remembered;
mod settings;
#[cfg(test)]
mod tests;

use planner::time::{Span, Timestamp};

pub(super) use self::remembered::{Memory, Topic};
pub use self::settings::AheadSettings;
use super::fuel::fuel;
use super::powers::PowerKind;
use crate::carbon_ahead::{
    BorderHours, CarbonEstimates, Hourly, KindHours, Neighbour, PowerOrigin, TracedZone, ZoneSeries,
};
use crate::feed::{Factors, Quality, Reading};
use crate::provider::generation::Fuel;

/// What flowed over a border, and what is to.
const FLOWED: [Topic; 2] = [Topic::FlowIn, Topic::FlowOut];
const SCHEDULED: [Topic; 2] = [Topic::ExchangeIn, Topic::ExchangeOut];

/// What a memory says of a zone and its neighbours.
pub(super) fn traced_zone(
    memory: &Memory,
    zone: &str,
    ahead: &AheadSettings,
    factors: Factors,
    now: Timestamp,
) -> TracedZone {
    let borders = ahead.neighbours.iter().map(|it| memory.border(SCHEDULED, it)).collect();
    let own = zone_series(memory, zone, factors, now, borders).unwrap_or_default();
    let counted = if ahead.imports { ahead.neighbours.as_slice() } else { &[] };
    let neighbour = |it: &String| Neighbour {
        series: zone_series(memory, it, factors, now, Vec::new()),
        flowed: memory.border(FLOWED, it),
        scheduled: memory.border(SCHEDULED, it),
    };
    let neighbours = counted.iter().map(neighbour).collect();
    TracedZone::new(&own, neighbours, ahead.otherwise_g_per_kwh.map(f64::from))
}

/// What is said of one zone; `None` where its generation is not known. The level is its forecast of generation. Where that
/// says nothing of the time to come it is the load that is expected, less what is to come over `borders`.
fn zone_series(
    memory: &Memory,
    zone: &str,
    factors: Factors,
    now: Timestamp,
    borders: Vec<BorderHours>,
) -> Option<ZoneSeries> {
    let generated = memory.kinds(Topic::Generation, zone)?.iter().filter_map(|(kind, hours)| {
        let PowerKind::Station(code) = kind else { return None };
        let fuel = fuel(code)?;
        let origin = match fuel {
            Fuel::Wind => PowerOrigin::Wind,
            Fuel::Solar => PowerOrigin::Solar,
            _ => PowerOrigin::Plant,
        };
        // Grams are whole numbers below a thousand.
        let g_per_kwh = f64::from(i32::try_from(fuel.factor(factors)?).ok()?);
        Some(KindHours { origin, g_per_kwh, hours: hours.clone() })
    });
    let of_weather =
        |is_kind: fn(&PowerKind) -> bool| memory.sum(Topic::WeatherForecast, zone, is_kind);
    let generation =
        memory.sum(Topic::GenerationForecast, zone, |kind| *kind == PowerKind::Generation);
    let load = || Some(without_imports(memory.sum(Topic::LoadForecast, zone, |_| true)?, borders));
    let says_ahead = |hours: &Hourly| hours.range(now..).next().is_some();
    let level = generation.clone().filter(says_ahead).or_else(load).or(generation);
    Some(ZoneSeries {
        generated: generated.collect(),
        wind: of_weather(PowerKind::is_wind),
        solar: of_weather(PowerKind::is_solar),
        level: level.unwrap_or_default(),
    })
}

/// A load less what comes over borders; where a border is not known, the hour is not.
fn without_imports(mut load: Hourly, borders: Vec<BorderHours>) -> Hourly {
    for border in borders {
        load.retain(|hour, load| {
            let told = border.at(*hour);
            let (imports, exports) = told.unwrap_or_default();
            *load -= imports - exports;
            told.is_some()
        });
    }
    load
}

/// What is estimated after `measured_until`, and in words how far estimates were off: the first note, since few are kept.
pub(super) fn estimated(
    estimates: &CarbonEstimates,
    measured_until: Timestamp,
    notes: &mut Vec<String>,
) -> Vec<Reading> {
    let after = |span: Span| Span::new(span.start().max(measured_until), span.end());
    let pieces = estimates.pieces.iter().filter_map(|piece| {
        let span = after(piece.span)?;
        Some(Reading { span, value: piece.value.value, quality: Quality::Estimated })
    });
    let readings: Vec<Reading> = pieces.collect();
    let words = match (readings.first(), estimates.errors.mean()) {
        (Some(first), Some(mean)) => {
            let days = estimates.errors.days();
            let (low, high) = estimates.errors.spread().unwrap_or_default();
            format!(
                "estimated from {} on by forecasts of generation; on {days} past days estimates \
                 were off by {mean:.1} g/kWh on average, and eight of ten values were {low:+.1} to \
                 {high:+.1} g/kWh from them",
                first.span.start()
            )
        }
        _ => "nothing is estimated ahead: forecasts are not there, or too little of the past is known"
            .to_owned(),
    };
    notes.insert(0, words);
    readings
}
