//! `POST /api/v1/sign-in/forget`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::{ForgetRequest, program, text};
use crate::http::asked_from::AskedFrom;
use crate::http::body::SmallJsonBody;
use crate::http::problem::Problem;
use crate::service::sign_in::SignInService;

/// Signs out at the issuer
///
/// For everybody, known or not. The issuer forgets the refresh token (RFC 7009), so that nobody gets newer tokens with it; where it has no way
/// to do so, nothing is done.
#[utoipa::path(
    post,
    path = "/api/v1/sign-in/forget",
    tag = "people",
    security(()),
    request_body = ForgetRequest,
    responses(
        (status = NO_CONTENT),
        (status = BAD_REQUEST, body = Problem, description = "The request has errors, or the issuer refuses"),
        (status = NOT_FOUND, body = Problem, description = "Nobody signs in by this program at this issuer"),
        (status = REQUEST_TIMEOUT, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "The issuer does not answer"),
    ),
)]
pub async fn forget_tokens(
    State(service): State<Arc<SignInService>>,
    from: AskedFrom,
    body: SmallJsonBody,
) -> Result<StatusCode, Problem> {
    let (issuer, refresh_token, program) = body.read(|reader, raw| {
        let object = reader.object(raw, &["issuer", "refresh_token", "program"])?;
        let issuer = reader.required(&object, "issuer", text);
        let refresh_token = reader.required(&object, "refresh_token", text);
        let program = program(reader, &object);
        Some((issuer?, refresh_token?, program?))
    })?;
    service.forget(&issuer, program, &refresh_token, &from.0).await?;
    Ok(StatusCode::NO_CONTENT)
}
