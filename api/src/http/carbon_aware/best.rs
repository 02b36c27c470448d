//! `GET /emissions/bylocations/best`

use axum::extract::State;
use axum::response::Response;

use super::Site;
use super::by_locations::answer;
use super::error::SdkError;
use super::parameters::SdkParameters;
use super::point::{emissions, least};
use crate::http::by::By;

/// The least intensities of `location` between `time` and `toTime`, all that are equal.
pub async fn best(
    State(site): State<Site>,
    _: By,
    parameters: SdkParameters,
) -> Result<Response, SdkError> {
    let locations = parameters.all("location");
    let points = emissions(&site, &locations, &parameters).await?;
    Ok(answer(&site, &least(&points)))
}
