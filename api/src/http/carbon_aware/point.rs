//! Data points of the site: the pieces of its CO2 agenda, and means over spans.

use planner::agenda::{Agenda, RateAgenda};
use planner::quantity::{CarbonIntensity, Rate};
use planner::time::{Seconds, Span};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use storage::Quantity;

use super::Site;
use super::error::SdkError;
use super::instant;
use super::parameters::SdkParameters;
use crate::service::shared::{self, Fault};

/// The longest span of one answer.
const LONGEST: Seconds = Seconds::new(366 * 86_400);

/// What a mean is rounded to, so that a whole one is written as such.
const DECIMALS: i32 = 9;

/// An intensity over a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataPoint {
    /// The span.
    pub span: Span,
    /// The intensity, g/kWh.
    pub intensity: Intensity,
}

/// g/kWh, written without a fraction where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intensity(pub f64);

impl Serialize for Intensity {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "at most 1e6 g/kWh")]
        let whole = self.0 as i64;
        if (whole as f64).total_cmp(&self.0).is_eq() {
            out.serialize_i64(whole)
        } else {
            out.serialize_f64(self.0)
        }
    }
}

/// The mean over `span`; `None` where the agenda has a gap in it.
pub fn mean(agenda: &RateAgenda<CarbonIntensity>, span: Span) -> Option<Intensity> {
    let sum = agenda.integral(span)?.as_millionth_seconds();
    let unit = 10_f64.powi(DECIMALS);
    let mean = sum as f64 / span.length().get() as f64 / 1e6;
    Some(Intensity((mean * unit).round() / unit))
}

/// The pieces of an agenda as points.
pub fn points(agenda: &RateAgenda<CarbonIntensity>) -> Vec<DataPoint> {
    let pieces = agenda.agenda().pieces().iter();
    let point = |span, value: CarbonIntensity| DataPoint {
        span,
        intensity: Intensity(value.as_millionths() as f64 / 1e6),
    };
    pieces.map(|piece| point(piece.span, piece.value)).collect()
}

/// The points with the least intensity.
pub fn least(points: &[DataPoint]) -> Vec<DataPoint> {
    let least = points.iter().map(|point| point.intensity.0).min_by(f64::total_cmp);
    let is_least = |point: &&DataPoint| Some(point.intensity.0) == least;
    points.iter().filter(is_least).copied().collect()
}

/// An agenda of the database with its integrals.
pub fn rates(agenda: &Agenda<i64>) -> Result<RateAgenda<CarbonIntensity>, Fault> {
    let pieces = agenda.pieces().iter().copied();
    shared::rates(pieces, CarbonIntensity::from_millionths_g_per_kwh).map_err(Fault::internal)
}

/// An emissions data point as the SDK writes it.
pub fn emissions_document(location: &str, point: &DataPoint) -> Value {
    json!({
        "location": location,
        "time": instant::format(point.span.start()),
        "rating": point.intensity,
        "duration": duration(point.span.length()),
    })
}

/// A length as the SDK writes it: `01:00:00`, and `1.02:00:00` from a day on.
fn duration(length: Seconds) -> String {
    let seconds = length.get();
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let clock = format!("{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60);
    if days == 0 { clock } else { format!("{days}.{clock}") }
}

/// What `location`, `time` and `toTime` ask for: the pieces that share an instant with
/// `[time, toTime)`, or that hold `time`, once for each location.
///
/// # Errors
/// Unknown locations, and times that cannot be read or are not in order.
pub async fn emissions(
    site: &Site,
    locations: &[&str],
    parameters: &SdkParameters,
) -> Result<Vec<DataPoint>, SdkError> {
    let mut unreadable = Vec::new();
    let start = parameters.time("time", &mut unreadable);
    let end = parameters.time("toTime", &mut unreadable);
    if !unreadable.is_empty() {
        return Err(SdkError::unreadable(unreadable));
    }
    if locations.is_empty() {
        return Err(SdkError::parameters(vec![("location", "location is not set".to_owned())]));
    }
    let wrong = match (start, end) {
        (None, Some(_)) => Some("time must be defined if toTime is defined"),
        (Some(start), Some(end)) if start >= end => Some("time must be before toTime"),
        _ => None,
    };
    if let Some(message) = wrong {
        return Err(SdkError::parameters(vec![("time", message.to_owned())]));
    }
    for location in locations {
        known(site, location)?;
    }
    let start = start.unwrap_or_else(|| site.clock.now());
    let end = end.unwrap_or(start + Seconds::ONE);
    let span = bounded(Span::new(start, end))?;
    let agenda = rates(&site.agendas.agenda(Quantity::Co2, span, None).await?)?;
    Ok(locations.iter().flat_map(|_| points(&agenda)).collect())
}

/// Refuses a location that is not the site's; their case does not matter.
pub fn known(site: &Site, location: &str) -> Result<(), SdkError> {
    if site.settings.location.to_lowercase() == location.to_lowercase() {
        return Ok(());
    }
    Err(SdkError::argument(format!("Unknown Location: '{location}' not found")))
}

/// A span that one answer can cover.
pub fn bounded(span: Option<Span>) -> Result<Span, SdkError> {
    span.filter(|span| span.length() <= LONGEST)
        .ok_or_else(|| SdkError::argument("The period must be at most 366 days."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_clock_times_with_days_before_them() {
        assert_eq!(duration(Seconds::new(3600)), "01:00:00");
        assert_eq!(duration(Seconds::new(300)), "00:05:00");
        assert_eq!(duration(Seconds::new(86_400 + 3661)), "1.01:01:01");
    }

    #[test]
    fn whole_intensities_have_no_fraction() {
        let text = |value| serde_json::to_string(&Intensity(value)).unwrap();
        assert_eq!((text(70.0), text(70.25)), ("70".to_owned(), "70.25".to_owned()));
    }
}
