//! From positions to spans: resolutions, curve types and days of 23 or 25 hours.

use std::collections::BTreeMap;

use jiff::ToSpan;
use planner::time::{Seconds, Span, Timestamp};

use super::wire::{Period, Point};
use crate::feed::{FeedError, instant};
use crate::local_time::LocalTime;

/// More positions than a year of quarter-hours: no period has as many.
const MOST_POSITIONS: usize = 40_000;

/// A value and when it holds.
pub(super) type Step = (Span, String);

/// The length of a position, the nominal one for days and longer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resolution {
    Fixed(Seconds),
    Calendar(jiff::Span, Seconds),
}

impl Resolution {
    fn parse(text: &str) -> Option<Self> {
        const DAY: i64 = 86_400;
        Some(match text {
            "PT1M" => Self::Fixed(Seconds::new(60)),
            "PT15M" => Self::Fixed(Seconds::new(900)),
            "PT30M" => Self::Fixed(Seconds::new(1800)),
            "PT60M" | "PT1H" => Self::Fixed(Seconds::new(3600)),
            "P1D" => Self::Calendar(1.day(), Seconds::new(DAY)),
            "P7D" => Self::Calendar(7.days(), Seconds::new(7 * DAY)),
            "P1M" => Self::Calendar(1.month(), Seconds::new(30 * DAY)),
            "P1Y" => Self::Calendar(1.year(), Seconds::new(365 * DAY)),
            _ => return None,
        })
    }

    /// The usual length.
    pub fn nominal(self) -> Seconds {
        match self {
            Self::Fixed(length) | Self::Calendar(_, length) => length,
        }
    }
}

/// The values of a period with their spans, in time order.
///
/// # Errors
/// An unknown resolution or curve type; a period that is no whole number of positions; a position
/// outside it; with `A03`, a missing first position.
pub(super) fn steps(
    period: &Period,
    curve: Option<&str>,
    market: &LocalTime,
    value: impl Fn(&Point) -> Option<&str>,
) -> Result<(Resolution, Vec<Step>), FeedError> {
    let place = format!("Period from {}", period.interval.start);
    let wrong = |message: String| FeedError::payload(&place, message);
    let resolution = Resolution::parse(&period.resolution)
        .ok_or_else(|| wrong(format!("unknown resolution {}", period.resolution)))?;
    let span = instant(&period.interval.start)
        .zip(instant(&period.interval.end))
        .and_then(|(start, end)| Span::new(start, end))
        .ok_or_else(|| wrong(format!("no span until {}", period.interval.end)))?;
    let positions = positions(span, resolution, market)
        .ok_or_else(|| wrong(format!("no whole number of {}", period.resolution)))?;

    let mut values: BTreeMap<usize, &str> = BTreeMap::new();
    for point in &period.points {
        let index = usize::try_from(point.position).unwrap_or(usize::MAX).wrapping_sub(1);
        let text = value(point)
            .ok_or_else(|| wrong(format!("position {} has no value", point.position)))?;
        if index >= positions.len() {
            return Err(wrong(format!("position {} of {}", point.position, positions.len())));
        }
        if values.insert(index, text).is_some_and(|earlier| earlier != text) {
            return Err(wrong(format!("two values at position {}", point.position)));
        }
    }
    let repeats = match curve {
        Some("A03") if !values.contains_key(&0) => {
            return Err(wrong("position 1 is missing, and A03 has nothing to repeat".into()));
        }
        Some("A03") => true,
        Some("A01") | None => false,
        Some(curve) => return Err(wrong(format!("unknown curve type {curve}"))),
    };
    let mut latest = None;
    let steps = positions.into_iter().enumerate().filter_map(|(index, span)| {
        let here = values.get(&index).copied();
        latest = if repeats { here.or(latest) } else { here };
        latest.map(|text| (span, text.to_owned()))
    });
    Ok((resolution, steps.collect()))
}

/// The spans of the positions; `None` unless they end with the period.
fn positions(span: Span, resolution: Resolution, market: &LocalTime) -> Option<Vec<Span>> {
    let mut spans = Vec::new();
    let mut start = span.start();
    while start < span.end() {
        if spans.len() == MOST_POSITIONS {
            return None;
        }
        let end = next(span.start(), spans.len(), resolution, market)?;
        spans.push(Span::new(start, end)?);
        start = end;
    }
    (start == span.end()).then_some(spans)
}

/// The end of the position `index` of a period from `start`.
fn next(
    start: Timestamp,
    index: usize,
    resolution: Resolution,
    market: &LocalTime,
) -> Option<Timestamp> {
    let count = i64::try_from(index).ok()? + 1;
    match resolution {
        Resolution::Fixed(step) => Some(start + Seconds::new(step.get() * count)),
        Resolution::Calendar(unit, _) => {
            let local = market.civil(start).ok()?;
            let end = local.checked_add(unit.checked_mul(count).ok()?).ok()?;
            market.civil_instant(end).ok()
        }
    }
}
