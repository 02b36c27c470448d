//! `POST /emissions/forecasts/batch`

use axum::Json;
use axum::extract::State;

use super::Site;
use super::body::Batch;
use super::error::SdkError;
use super::forecast::{Forecast, ForecastRequest, MOST_POINTS, forecast, too_long};
use crate::http::by::By;

/// What was known at each `requestedAt`, otherwise as the current forecast.
pub async fn forecast_batch(
    State(site): State<Site>,
    _: By,
    batch: Batch,
) -> Result<Json<Vec<Forecast>>, SdkError> {
    let requests = batch.read(|item| {
        let location = item.text("location");
        let requested = item.time("requestedAt");
        let (start, end) = (item.time("dataStartAt"), item.time("dataEndAt"));
        let asked = ForecastRequest {
            location: location.clone().unwrap_or_default(),
            start,
            end,
            window: item.minutes("windowSize"),
            requested,
        };
        (asked, [("location", location.is_some()), ("requestedAt", requested.is_some())])
    })?;
    let mut forecasts = Vec::with_capacity(requests.len());
    for (asked, given) in requests {
        let missing = given.into_iter().filter(|(_, given)| !given);
        let errors: Vec<_> =
            missing.map(|(name, _)| (name, format!("{name} is not set"))).collect();
        if !errors.is_empty() {
            return Err(SdkError::parameters(errors));
        }
        forecasts.push(forecast(&site, asked).await?);
        if forecasts.iter().map(Forecast::points).sum::<usize>() > MOST_POINTS {
            return Err(too_long());
        }
    }
    Ok(Json(forecasts))
}
