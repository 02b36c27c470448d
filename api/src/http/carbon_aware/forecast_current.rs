//! `GET /emissions/forecasts/current`

use axum::Json;
use axum::extract::State;

use super::Site;
use super::error::SdkError;
use super::forecast::{Forecast, ForecastRequest, MOST_POINTS, forecast, too_long};
use super::parameters::SdkParameters;
use crate::http::by::By;

/// What is known now of each `location`, between `dataStartAt` and `dataEndAt`, as means over
/// `windowSize` minutes, with the least of them.
pub async fn forecast_current(
    State(site): State<Site>,
    _: By,
    parameters: SdkParameters,
) -> Result<Json<Vec<Forecast>>, SdkError> {
    let mut unreadable = Vec::new();
    let start = parameters.time("dataStartAt", &mut unreadable);
    let end = parameters.time("dataEndAt", &mut unreadable);
    let window = parameters.minutes("windowSize", &mut unreadable);
    if !unreadable.is_empty() {
        return Err(SdkError::unreadable(unreadable));
    }
    let locations = parameters.all("location");
    if locations.is_empty() {
        return Err(SdkError::parameters(vec![("location", "location is not set".to_owned())]));
    }
    let mut forecasts = Vec::with_capacity(locations.len());
    for location in locations {
        let location = location.to_owned();
        let asked = ForecastRequest { location, start, end, window, requested: None };
        forecasts.push(forecast(&site, asked).await?);
        if forecasts.iter().map(Forecast::points).sum::<usize>() > MOST_POINTS {
            return Err(too_long());
        }
    }
    Ok(Json(forecasts))
}
