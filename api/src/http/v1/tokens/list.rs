//! `GET /api/v1/tokens`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use storage::TokenId;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::ApiTokenDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::tokens::{TokenFilter, TokenService};

/// Which tokens.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ApiTokensQuery {
    /// Of this owner; others see their own alone.
    pub owner: Option<String>,
    /// Those that are revoked or have ended, too.
    pub ended: Option<bool>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Tokens in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of API tokens.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ApiTokensPage {
    /// Oldest first.
    pub items: Vec<ApiTokenDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// API tokens that count, or all, without their secrets
///
/// One's own; of operators everybody's.
#[utoipa::path(
    get,
    path = "/api/v1/tokens",
    tag = "people",
    params(ApiTokensQuery),
    responses(
        (status = OK, body = ApiTokensPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_api_tokens(
    State(tokens): State<Arc<TokenService>>,
    by: By,
    Parameters(parameters): Parameters<ApiTokensQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<ApiTokensPage>), Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let owner = query::name("owner", parameters.owner)?;
    let after = parameters.cursor.map(TokenId::new);
    let filter = TokenFilter { owner, ended: parameters.ended.unwrap_or_default() };
    let (all, next) = tokens.tokens(by.caller.token_maker(), &filter, after, limit).await?;
    let items = all.iter().map(|token| ApiTokenDocument::new(token, &by.caller)).collect();
    let note = by.caller.reads(filter.owner.as_deref());
    Ok((note, Json(ApiTokensPage { items, next_cursor: next.map(TokenId::as_uuid) })))
}
