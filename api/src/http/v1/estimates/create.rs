//! `POST /api/v1/estimates`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::estimate::{self, OperationEstimateDocument};
use planner::service_estimate;

use super::schema::EstimateRequest;
use crate::config::Settings;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;

/// What a checkpoint, a restart or a collective operation takes
///
/// For users and operators. Time, energy, cost and CO2 of each version of the operation, from a calibration of the nodes.
/// Nothing is stored. `docs/ESTIMATES.md` has the formulas.
#[utoipa::path(
    post,
    path = "/api/v1/estimates",
    tag = "planning",
    request_body = EstimateRequest,
    responses(
        (status = OK, body = OperationEstimateDocument),
        (status = BAD_REQUEST, body = Problem, description = "The request is not valid"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_estimate(
    State(settings): State<Arc<Settings>>,
    by: By,
    body: JsonBody,
) -> Result<Json<OperationEstimateDocument>, Problem> {
    let currency = settings.currency;
    let input = body.read(|reader, raw| estimate::estimate(reader, raw, currency))?;
    let mut request = input.request;
    if let Some(at) = input.at {
        let (price, intensity) = by.state.rates_at(at);
        let rates = &mut request.rates;
        rates.price = rates.price.or(price.map(|price| (price, currency)));
        rates.intensity = rates.intensity.or(intensity);
    }
    let estimate = service_estimate::estimate(&request);
    Ok(Json(OperationEstimateDocument::new(&request, &estimate)))
}
