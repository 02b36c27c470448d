//! `GET /emissions/bylocation`

use axum::extract::State;
use axum::response::Response;

use super::Site;
use super::by_locations::answer;
use super::error::SdkError;
use super::parameters::SdkParameters;
use super::point::emissions;
use crate::http::by::By;

/// The intensities of the one `location` between `time` and `toTime`.
pub async fn by_location(
    State(site): State<Site>,
    _: By,
    parameters: SdkParameters,
) -> Result<Response, SdkError> {
    let Some(location) = parameters.one("location") else {
        let message = "The location field is required.".to_owned();
        return Err(SdkError::unreadable(vec![("location".to_owned(), message)]));
    };
    let points = emissions(&site, &[location], &parameters).await?;
    Ok(answer(&site, &points))
}
