//! `POST /api/v1/sign-in/tokens`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use planner::json::Reader;
use serde_json::value::RawValue;

use super::{TokensRequest, program, text, unstored};
use crate::http::asked_from::AskedFrom;
use crate::http::body::SmallJsonBody;
use crate::http::problem::Problem;
use crate::service::sign_in::{GivenTokens, SignInService, TokenGrant};

/// Asks an issuer for tokens
///
/// For everybody, known or not. The service sends on what it is given, with the client id of the program, and keeps nothing
/// of it. While nobody has entered a device code yet, the answer is 400 `authorization_pending`, or `slow_down` for who asks
/// too often.
#[utoipa::path(
    post,
    path = "/api/v1/sign-in/tokens",
    tag = "people",
    security(()),
    request_body = TokensRequest,
    responses(
        (status = OK, body = GivenTokens),
        (status = BAD_REQUEST, body = Problem, description = "The request has errors, or the issuer refuses"),
        (status = NOT_FOUND, body = Problem, description = "Nobody signs in by this program at this issuer"),
        (status = REQUEST_TIMEOUT, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "The issuer does not answer"),
    ),
)]
pub async fn create_tokens(
    State(service): State<Arc<SignInService>>,
    from: AskedFrom,
    body: SmallJsonBody,
) -> Result<Response, Problem> {
    let (issuer, grant) = body.read(asked)?;
    let tokens: GivenTokens = service.tokens(&issuer, &grant, &from.0).await?;
    Ok(unstored(tokens))
}

fn asked(reader: &mut Reader, raw: &RawValue) -> Option<(String, TokenGrant)> {
    let grants: [&[&str]; 3] = [
        &["code", "code_verifier", "redirect_uri"],
        &["device_code"],
        &["refresh_token", "program"],
    ];
    let known: Vec<&str> = ["issuer"].into_iter().chain(grants.concat()).collect();
    let object = reader.object(raw, &known)?;
    let issuer = reader.required(&object, "issuer", text);
    let is_given = |names: &&[&str]| object.get(names[0]).is_some();
    let given: Vec<&[&str]> = grants.into_iter().filter(is_given).collect();
    let [given] = given[..] else {
        reader.error("must have one of code, device_code and refresh_token");
        return None;
    };
    for name in grants.concat() {
        if !given.contains(&name) && object.get(name).is_some() {
            reader.error_at(name, format!("does not go with {}", given[0]));
        }
    }
    let grant = match given[0] {
        "code" => {
            let code = reader.required(&object, "code", text);
            let code_verifier = reader.required(&object, "code_verifier", text);
            let redirect_uri = reader.required(&object, "redirect_uri", text);
            TokenGrant::Code {
                code: code?,
                code_verifier: code_verifier?,
                redirect_uri: redirect_uri?,
            }
        }
        "device_code" => {
            TokenGrant::Device { device_code: reader.required(&object, "device_code", text)? }
        }
        _ => {
            let refresh_token = reader.required(&object, "refresh_token", text);
            let program = program(reader, &object);
            TokenGrant::Refresh { refresh_token: refresh_token?, program: program? }
        }
    };
    Some((issuer?, grant))
}
