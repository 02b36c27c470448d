//! `GET /emissions/average-carbon-intensity`

use axum::Json;
use axum::extract::State;
use planner::time::{Span, Timestamp};
use serde::Serialize;
use storage::Quantity;

use super::Site;
use super::error::SdkError;
use super::instant;
use super::parameters::SdkParameters;
use super::point::{Intensity, bounded, known, mean, rates};
use crate::http::by::By;

/// A period and its mean.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Average {
    location: String,
    #[serde(serialize_with = "instant::serialize")]
    start_time: Timestamp,
    #[serde(serialize_with = "instant::serialize")]
    end_time: Timestamp,
    /// The mean intensity, g/kWh.
    carbon_intensity: Intensity,
}

/// A period whose mean is asked for; what is missing is `None`.
#[derive(Default)]
pub struct AveragePeriod {
    pub location: Option<String>,
    pub start: Option<Timestamp>,
    pub end: Option<Timestamp>,
}

/// The mean intensity of `location` from `startTime` to `endTime`.
pub async fn average(
    State(site): State<Site>,
    _: By,
    parameters: SdkParameters,
) -> Result<Json<Average>, SdkError> {
    let mut unreadable = Vec::new();
    let period = AveragePeriod {
        location: parameters.one("location").map(str::to_owned),
        start: parameters.time("startTime", &mut unreadable),
        end: parameters.time("endTime", &mut unreadable),
    };
    if !unreadable.is_empty() {
        return Err(SdkError::unreadable(unreadable));
    }
    average_over(&site, period).await.map(Json)
}

/// The mean over a period.
///
/// # Errors
/// What is missing, another location, and a period that is not covered throughout.
pub async fn average_over(site: &Site, period: AveragePeriod) -> Result<Average, SdkError> {
    let AveragePeriod { location: Some(location), start: Some(start), end: Some(end) } = period
    else {
        let given = [period.location.is_some(), period.start.is_some(), period.end.is_some()];
        let names = ["location", "startTime", "endTime"].into_iter().zip(given);
        let missing = names.filter(|(_, given)| !given);
        let errors = missing.map(|(name, _)| (name, format!("{name} is not set")));
        return Err(SdkError::parameters(errors.collect()));
    };
    if start >= end {
        let message = "startTime must be before endTime".to_owned();
        return Err(SdkError::parameters(vec![("startTime", message)]));
    }
    known(site, &location)?;
    let span = bounded(Span::new(start, end))?;
    let agenda = rates(&site.agendas.agenda(Quantity::Co2, span, None).await?)?;
    let carbon_intensity = mean(&agenda, span).ok_or_else(|| {
        let (start, end) = (instant::format(start), instant::format(end));
        SdkError::argument(format!(
            "Period out of range. Data points did not cover the requested average period: \
             {start} through {end}"
        ))
    })?;
    Ok(Average { location, start_time: start, end_time: end, carbon_intensity })
}
