//! `GET /api/v1/sign-in`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::service::sign_in::{SignInService, SignInWay};

/// Where people sign in.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct SignInDocument {
    /// Each issuer of the settings; none where there are only API tokens.
    pub issuers: Vec<SignInWay>,
}

/// Where people sign in
///
/// For everybody, known or not.
#[utoipa::path(
    get,
    path = "/api/v1/sign-in",
    tag = "people",
    security(()),
    responses((status = OK, body = SignInDocument)),
)]
pub async fn list_sign_in_ways(State(service): State<Arc<SignInService>>) -> Json<SignInDocument> {
    Json(SignInDocument { issuers: service.ways().await })
}
