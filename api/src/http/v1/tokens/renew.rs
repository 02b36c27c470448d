//! `POST /api/v1/tokens/{id}/renew`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use storage::TokenId;

use super::document::{ApiTokenWithSecret, audited, made};
use super::members::renewal;
use super::schema::ApiTokenRenewal;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::tokens::TokenService;

/// Makes an API token in place of another
///
/// With its owner, role and actions; of one's own tokens those that one might make, of operators' everybody's. The old one counts
/// beside it for a while, so that nothing is refused until all have the new one. The token with which one asks has a successor for
/// as long as it had itself at the most, one's others none that outlasts it. The secret is told this once.
#[utoipa::path(
    post,
    path = "/api/v1/tokens/{id}/renew",
    tag = "people",
    params(("id" = uuid::Uuid, Path)),
    request_body = ApiTokenRenewal,
    responses(
        (status = CREATED, body = ApiTokenWithSecret),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "It is of another role, could do more than who asks, or the new one would last too long"),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It counts no more, or the owner has as many as one may have"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn renew_api_token(
    State(tokens): State<Arc<TokenService>>,
    by: By,
    IdInPath(id): IdInPath<TokenId>,
    body: JsonBody,
) -> Result<Response, Problem> {
    let renewal = body.read(renewal)?;
    let maker = by.caller.token_maker();
    let renewed = tokens.renew(maker, &by.state, id, renewal.expires_in, renewal.overlap);
    let (old, token) = renewed.await?;
    Ok(made(token, Some(audited(&old)), &by.caller))
}
