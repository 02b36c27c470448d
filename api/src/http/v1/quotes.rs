//! `POST /api/v1/quotes`

use axum::Json;
use axum::extract::State;
use planner::json::decision::DecisionDocument;

use super::reservations::wish::read_wish;
use super::schema::RequestDocument;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::caller::{Bookers, By};
use crate::http::problem::Problem;

/// What is possible for a request now; nothing is held
///
/// For users and operators. Answers 200 `impossible` where nothing is.
#[utoipa::path(
    post,
    path = "/api/v1/quotes",
    tag = "planning",
    request_body = RequestDocument,
    responses(
        (status = OK, body = DecisionDocument),
        (status = BAD_REQUEST, body = Problem, description = "The request is not valid"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn create_quote(
    State(app): State<App>,
    _: By<Bookers>,
    body: JsonBody,
) -> Result<Json<DecisionDocument>, Problem> {
    let wish = read_wish(&body, &app.service)?;
    Ok(Json(app.service.quote(&wish).await?))
}
