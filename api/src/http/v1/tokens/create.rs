//! `POST /api/v1/tokens`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::document::{ApiTokenWithSecret, made};
use super::members::new_token;
use super::schema::ApiTokenRequest;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::tokens::TokenService;

/// Makes an API token
///
/// One's own, of the role in which one asks; operators make others'. It can do no more than who makes it may: a token for some
/// actions makes tokens for these alone. It ends by itself, and one's own, or an operator's, no later than the token with which one
/// asks. The secret is told this once.
#[utoipa::path(
    post,
    path = "/api/v1/tokens",
    tag = "people",
    request_body = ApiTokenRequest,
    responses(
        (status = CREATED, body = ApiTokenWithSecret),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "It would be somebody else's, could do more than its maker, or would outlast the token that it is made with, which may be about to end"),
        (status = CONFLICT, body = Problem, description = "The owner has as many as one may have, or the first token is not an operator's for all actions and a day at least"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_api_token(
    State(tokens): State<Arc<TokenService>>,
    by: By,
    body: JsonBody,
) -> Result<Response, Problem> {
    let new = body.read(new_token)?;
    let token = tokens.make(by.caller.token_maker(), &by.state, new).await?;
    Ok(made(token, None, &by.caller))
}
