//! `POST /api/v1/quotes`

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use planner::json::decision::DecisionDocument;

use super::schema::QuoteRequest;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::booking::{BookingService, Purpose};
use crate::service::shared::Fault;

/// What is possible for a request now; nothing is held
///
/// For users and operators. Answers 200 `impossible` where nothing is.
#[utoipa::path(
    post,
    path = "/api/v1/quotes",
    tag = "planning",
    request_body = QuoteRequest,
    responses(
        (status = OK, body = DecisionDocument),
        (status = BAD_REQUEST, body = Problem, description = "The request is not valid"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "Too many plans of the caller run and wait; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn create_quote(
    State(booking): State<Arc<BookingService>>,
    by: By,
    body: JsonBody,
) -> Result<Response, Problem> {
    let request = booking.read_request(body.text(), Purpose::Quote, &by.state);
    let request = request.map_err(Problem::invalid_json)?;
    let access = by.caller.access();
    let request = booking.within_rights(access, request)?;
    let request = booking.with_learnt_utilisation(request).await?;
    let json = |document| serde_json::to_vec(&document);
    let json = booking.quote(access, by.state, &request, json).await?;
    let json = json.map_err(Fault::internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}
