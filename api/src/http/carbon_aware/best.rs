//! `GET /emissions/bylocations/best`

use axum::extract::State;
use axum::response::Response;

use super::by_locations::answer;
use super::parameters::Parameters;
use super::point::{emissions, least};
use super::refusal::Refusal;
use crate::http::App;
use crate::http::caller::{Anyone, By};

/// The least intensities of `location` between `time` and `toTime`, all that are equal.
pub async fn best(
    State(app): State<App>,
    _: By<Anyone>,
    parameters: Parameters,
) -> Result<Response, Refusal> {
    let locations = parameters.all("location");
    let points = emissions(&app, &locations, &parameters).await?;
    Ok(answer(&app, &least(&points)))
}
