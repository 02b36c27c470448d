//! `POST /api/v1/predictions`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::schema::PredictionRequest;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::shared::Fault;
use crate::service::start_predictions::StartPredictionService;
use crate::start_prediction::document::PredictionsDocument;
use crate::start_prediction::question::question;

/// When a job would start and end that is submitted to the queue now
///
/// For users and operators. In Slurm's queues as they are, or in a queue whose state is sent; nothing is submitted or stored.
/// Users are told of their own jobs that wait, operators of all. `docs/PREDICTIONS.md` says how, and how good it is.
#[utoipa::path(
    post,
    path = "/api/v1/predictions",
    tag = "planning",
    request_body = PredictionRequest,
    responses(
        (status = OK, body = PredictionsDocument),
        (status = BAD_REQUEST, body = Problem, description = "The request is not valid, or does not go with the queue"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "`no_queue`: the site is not connected to Slurm, and no state was sent"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "`slurm_unreachable`, `overloaded`, `time_limit`"),
    ),
)]
pub async fn create_prediction(
    State(predictions): State<Arc<StartPredictionService>>,
    by: By,
    body: JsonBody,
) -> Result<Json<PredictionsDocument>, Problem> {
    let (question, state) = body.read(question)?;
    let waiting = question.waiting;
    let answer = predictions.predict(by.caller.access(), question, state).await?;
    Ok(Json(PredictionsDocument::new(&answer, waiting).map_err(Fault::internal)?))
}
