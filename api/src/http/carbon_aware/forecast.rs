//! Forecasts: what the agenda says of the time to come, as it is known now or was known then.

use planner::agenda::RateAgenda;
use planner::quantity::CarbonIntensity;
use planner::time::{Seconds, Span, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use storage::Quantity;

use super::Site;
use super::error::SdkError;
use super::instant;
use super::point::{DataPoint, known, least, mean, points, rates};
use crate::service::shared::Fault;

/// How far a forecast reaches at the most.
const LONGEST: Seconds = Seconds::new(366 * 86_400);

/// The piece that holds the instant of a forecast is read whole if it began no longer ago.
const BEGUN: Seconds = Seconds::new(86_400);

/// Windows move on by the length of the first data point, but by no less.
const SHORTEST_STEP: Seconds = Seconds::new(300);

/// More data points in one answer are refused.
pub const MOST_POINTS: usize = 20_000;

/// What a forecast is asked for.
pub struct ForecastRequest {
    pub location: String,
    /// The first instant that counts (`dataStartAt`).
    pub start: Option<Timestamp>,
    /// The first instant that no longer counts (`dataEndAt`).
    pub end: Option<Timestamp>,
    /// The length of the moving window (`windowSize`); each data point is a window where it is not given.
    pub window: Option<Seconds>,
    /// The instant of which the knowledge counts (`requestedAt`); `None` is now.
    pub requested: Option<Timestamp>,
}

/// A forecast as the SDK writes it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    #[serde(serialize_with = "instant::serialize")]
    generated_at: Timestamp,
    #[serde(serialize_with = "instant::serialize")]
    requested_at: Timestamp,
    location: String,
    #[serde(serialize_with = "instant::serialize")]
    data_start_at: Timestamp,
    #[serde(serialize_with = "instant::serialize")]
    data_end_at: Timestamp,
    /// The length of the window in minutes.
    window_size: i64,
    optimal_data_points: Vec<Value>,
    #[serde(rename = "forecastData")]
    data: Vec<Value>,
}

impl Forecast {
    /// How many data points it has.
    pub fn points(&self) -> usize {
        self.data.len()
    }
}

/// Too many data points for one answer.
pub fn too_long() -> SdkError {
    let message = format!(
        "The answer would have more than {MOST_POINTS} data points: narrow dataStartAt and dataEndAt"
    );
    SdkError::argument(message)
}

/// Makes a forecast.
///
/// # Errors
/// Another location, bounds outside of what is known, and nothing known.
pub async fn forecast(site: &Site, asked: ForecastRequest) -> Result<Forecast, SdkError> {
    known(site, &asked.location)?;
    if asked.window.is_some_and(|window| window.get() < 0) {
        let message = "windowSize must not be negative".to_owned();
        return Err(SdkError::parameters(vec![("windowSize", message)]));
    }
    let now = site.clock.now();
    let at = asked.requested.unwrap_or(now);
    let none = || match asked.requested {
        None => SdkError::no_forecast(),
        Some(at) => SdkError::argument(format!("No forecast was known at {}", instant::format(at))),
    };
    let reach = Span::new(at - BEGUN, (at + LONGEST).min(Timestamp::MAX)).ok_or_else(none)?;
    let generated_at =
        site.agendas.announced_at(Quantity::Co2, reach, at).await?.ok_or_else(none)?;
    let agenda = site.agendas.agenda(Quantity::Co2, reach, asked.requested).await?;
    let pieces = agenda.pieces().iter().filter(|piece| piece.span.end() > at).copied().collect();
    let agenda = planner::agenda::Agenda::new(pieces).map_err(Fault::internal)?;
    let agenda = rates(&agenda)?;
    let pieces = agenda.agenda().pieces();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Err(none()) };
    let whole = (first.span.start(), last.span.end());
    let bounds = bounds(whole, asked.start.unwrap_or(whole.0), asked.end.unwrap_or(whole.1))?;
    let data = match asked.window.filter(|window| window.get() > 0) {
        Some(window) => windows(&agenda, bounds, window, first.span.length())?,
        None => points(&agenda).into_iter().filter(|point| point.span.overlaps(bounds)).collect(),
    };
    if data.len() > MOST_POINTS {
        return Err(too_long());
    }
    let lengths = data.first().map(|point| point.span.length()).or(asked.window);
    let document = |point: &DataPoint| point_document(&site.settings.location, point);
    Ok(Forecast {
        generated_at,
        requested_at: at,
        location: site.settings.location.clone(),
        data_start_at: asked
            .start
            .or(data.first().map(|point| point.span.start()))
            .unwrap_or(whole.0),
        data_end_at: asked.end.or(data.last().map(|point| point.span.start())).unwrap_or(whole.1),
        window_size: lengths.map_or(0, |length| length.get() / 60),
        optimal_data_points: least(&data).iter().map(document).collect(),
        data: data.iter().map(document).collect(),
    })
}

/// The bounds, which must lie in what is known.
fn bounds(
    (first, last): (Timestamp, Timestamp),
    start: Timestamp,
    end: Timestamp,
) -> Result<Span, SdkError> {
    let mut errors = Vec::new();
    if start >= end {
        errors.push(("dataStartAt", "dataStartAt must be earlier than dataEndAt".to_owned()));
    }
    for (name, time) in [("dataStartAt", start), ("dataEndAt", end)] {
        if !(first..=last).contains(&time) {
            let (first, last) = (instant::format(first), instant::format(last));
            let message = format!(
                "{name} must be within time range of the forecasted data, '{first}' through '{last}'"
            );
            errors.push((name, message));
        }
    }
    Span::new(start, end).filter(|_| errors.is_empty()).ok_or_else(|| SdkError::forecast(errors))
}

/// The means of windows that move over the bounds; those over a gap are left out.
fn windows(
    agenda: &RateAgenda<CarbonIntensity>,
    bounds: Span,
    window: Seconds,
    step: Seconds,
) -> Result<Vec<DataPoint>, SdkError> {
    let step = step.max(SHORTEST_STEP);
    if usize::try_from(bounds.length().get() / step.get()).is_ok_and(|count| count > MOST_POINTS) {
        return Err(too_long());
    }
    let mut means = Vec::new();
    let mut start = bounds.start();
    while let Some(span) = Span::starting(start, window).filter(|span| span.end() <= bounds.end()) {
        means.extend(mean(agenda, span).map(|intensity| DataPoint { span, intensity }));
        start = start + step;
    }
    Ok(means)
}

fn point_document(location: &str, point: &DataPoint) -> Value {
    json!({
        "location": location,
        "timestamp": instant::format(point.span.start()),
        "duration": point.span.length().get() / 60,
        "value": point.intensity,
    })
}
