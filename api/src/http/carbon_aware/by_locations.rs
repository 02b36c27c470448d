//! `GET /emissions/bylocations`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::Site;
use super::error::SdkError;
use super::parameters::SdkParameters;
use super::point::{DataPoint, emissions, emissions_document};
use crate::http::by::By;

/// The intensities of `location` (one or several) between `time` and `toTime`.
pub async fn by_locations(
    State(site): State<Site>,
    _: By,
    parameters: SdkParameters,
) -> Result<Response, SdkError> {
    let locations = parameters.all("location");
    let points = emissions(&site, &locations, &parameters).await?;
    Ok(answer(&site, &points))
}

/// The points, or 204 where there are none.
pub fn answer(site: &Site, points: &[DataPoint]) -> Response {
    if points.is_empty() {
        return StatusCode::NO_CONTENT.into_response();
    }
    let location = &site.settings.location;
    let points: Vec<Value> =
        points.iter().map(|point| emissions_document(location, point)).collect();
    Json(points).into_response()
}
