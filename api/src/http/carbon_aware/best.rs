//! `GET /emissions/bylocations/best`

use axum::extract::State;
use axum::response::Response;

use super::Site;
use super::by_locations::answer;
use super::parameters::Parameters;
use super::point::{emissions, least};
use super::refusal::Refusal;
use crate::http::caller::{Anyone, By};

/// The least intensities of `location` between `time` and `toTime`, all that are equal.
pub async fn best(
    State(site): State<Site>,
    _: By<Anyone>,
    parameters: Parameters,
) -> Result<Response, Refusal> {
    let locations = parameters.all("location");
    let points = emissions(&site, &locations, &parameters).await?;
    Ok(answer(&site, &least(&points)))
}
