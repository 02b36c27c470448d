//! `POST /api/v1/sign-in/device`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::{DeviceCodeRequest, text, unstored};
use crate::http::asked_from::AskedFrom;
use crate::http::body::SmallJsonBody;
use crate::http::problem::Problem;
use crate::service::sign_in::{DeviceCode, SignInService};

/// Begins to sign somebody in by a code
///
/// For everybody, known or not: the command line asks for it (RFC 8628). The person enters `user_code` at
/// `verification_uri`; the program meanwhile asks for tokens with `device_code`.
#[utoipa::path(
    post,
    path = "/api/v1/sign-in/device",
    tag = "people",
    security(()),
    request_body = DeviceCodeRequest,
    responses(
        (status = OK, body = DeviceCode),
        (status = BAD_REQUEST, body = Problem),
        (status = NOT_FOUND, body = Problem, description = "Nobody signs in by the command line at this issuer"),
        (status = REQUEST_TIMEOUT, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "The issuer does not answer"),
    ),
)]
pub async fn create_device_code(
    State(service): State<Arc<SignInService>>,
    from: AskedFrom,
    body: SmallJsonBody,
) -> Result<Response, Problem> {
    let issuer = body.read(|reader, raw| {
        let object = reader.object(raw, &["issuer"])?;
        reader.required(&object, "issuer", text)
    })?;
    let code: DeviceCode = service.device_code(&issuer, &from.0).await?;
    Ok(unstored(code))
}
