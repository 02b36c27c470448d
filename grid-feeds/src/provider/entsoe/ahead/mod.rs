//! CO2 ahead of time: what the platform's forecasts of generation say by [`carbon_ahead`](crate::carbon_ahead).

mod remembered;
mod settings;
#[cfg(test)]
mod tests;

use planner::time::{Span, Timestamp};

pub(super) use self::remembered::{Memory, Subject, Topic};
pub use self::settings::AheadSettings;
use super::fuel::fuel;
use super::powers::PowerKind;
use crate::carbon_ahead::{
    BorderHours, CarbonEstimates, Hourly, KindHours, PowerOrigin, TracedZone, ZoneBorder,
    ZoneSeries,
};
use crate::feed::{Factors, Quality, Reading};
use crate::provider::generation::Fuel;

/// What a memory says of a zone and of those that it exchanges power with.
pub(super) fn traced_zone(
    memory: &Memory,
    zone: &str,
    ahead: &AheadSettings,
    factors: Factors,
    now: Timestamp,
) -> TracedZone {
    let exchanges = ahead.neighbours.iter().map(|it| memory.border(Topic::Exchange, zone, it));
    let own = zone_series(memory, zone, factors, now, exchanges.collect()).unwrap_or_default();
    let others = ahead.other_zones();
    let series = others.iter().map(|it| zone_series(memory, it, factors, now, Vec::new()));
    let index = |name: &str| others.iter().position(|it| *it == name).map_or(0, |place| place + 1);
    let borders = if ahead.imports { ahead.borders_of(zone) } else { Vec::new() };
    let borders = borders.into_iter().map(|(first, second)| ZoneBorder {
        between: (index(first), index(second)),
        flowed: memory.border(Topic::Flow, first, second),
        scheduled: memory.border(Topic::Exchange, first, second),
    });
    let otherwise = ahead.otherwise_g_per_kwh.map(f64::from);
    TracedZone::new(&own, &series.collect::<Vec<_>>(), borders.collect(), otherwise)
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
    let generated =
        memory.kinds(&Subject::of(Topic::Generation, zone))?.iter().filter_map(|(kind, hours)| {
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
    let sum =
        |topic, is_kind: fn(&PowerKind) -> bool| memory.sum(&Subject::of(topic, zone), is_kind);
    let of_weather = |is_kind| sum(Topic::WeatherForecast, is_kind);
    let generation = sum(Topic::GenerationForecast, |kind| *kind == PowerKind::Generation);
    let load = || Some(without_imports(sum(Topic::LoadForecast, |_| true)?, borders));
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
