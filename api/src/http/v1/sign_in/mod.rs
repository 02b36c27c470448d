//! How people sign in; whoever calls is not known yet. See `docs/SIGN-IN.md`.

pub mod device;
pub mod forget;
pub mod tokens;
pub mod ways;

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use planner::json::Reader;
use planner::json::reader::Object;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::service::sign_in::Program;

/// What a device code is asked for with.
#[derive(Serialize, ToSchema)]
pub struct DeviceCodeRequest {
    /// The issuer, as `GET /api/v1/sign-in` has it.
    #[schema(example = "https://id.example.org/realms/hpc")]
    pub issuer: String,
}

/// What tokens are asked for with: the page has `code`, `code_verifier` and `redirect_uri`, the command line `device_code`,
/// and either of them `refresh_token` and `program`.
#[derive(Serialize, ToSchema)]
pub struct TokensRequest {
    /// The issuer, as `GET /api/v1/sign-in` has it.
    #[schema(example = "https://id.example.org/realms/hpc")]
    pub issuer: String,
    /// The code that the issuer sent the page with.
    pub code: Option<String>,
    /// What the challenge of the code was made of (RFC 7636).
    pub code_verifier: Option<String>,
    /// Where the issuer sent the code.
    pub redirect_uri: Option<String>,
    /// The device code, once somebody has entered its other half.
    pub device_code: Option<String>,
    /// A refresh token, for newer tokens.
    pub refresh_token: Option<String>,
    /// Whose refresh token it is: `page` or `cli`.
    #[schema(example = "page")]
    pub program: Option<String>,
}

/// The refresh token that the issuer is to forget.
#[derive(Serialize, ToSchema)]
pub struct ForgetRequest {
    /// The issuer, as `GET /api/v1/sign-in` has it.
    #[schema(example = "https://id.example.org/realms/hpc")]
    pub issuer: String,
    /// The token.
    pub refresh_token: String,
    /// Whose it is: `page` or `cli`.
    #[schema(example = "page")]
    pub program: String,
}

/// A text that an issuer made, or its address.
fn text(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    reader.accept((!text.is_empty()).then_some(text).ok_or("must not be empty"))
}

fn program(reader: &mut Reader, object: &Object<'_>) -> Option<Program> {
    reader.required(object, "program", |reader, raw| {
        let word = reader.string(raw)?;
        reader.accept(match word.as_str() {
            "page" => Ok(Program::Page),
            "cli" => Ok(Program::Cli),
            _ => Err("must be page or cli"),
        })
    })
}

/// An answer with a secret in it, which nobody between is to keep (RFC 6749, section 5.1).
fn unstored(document: impl Serialize) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Json(document)).into_response()
}
