//! `GET /api/v1/grants`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::GrantDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::dialogue::DialogueService;

/// Grants that have yet to end.
#[derive(Serialize, ToSchema)]
pub struct GrantsDocument {
    /// By start.
    pub items: Vec<GrantDocument>,
}

/// Extra power that has yet to end, revoked grants too
///
/// For everyone with a token.
#[utoipa::path(
    get,
    path = "/api/v1/grants",
    tag = "grid",
    responses(
        (status = OK, body = GrantsDocument),
        (status = UNAUTHORIZED, body = Problem),
    ),
)]
pub async fn list_grants(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
) -> Result<Json<GrantsDocument>, Problem> {
    let grants = dialogue.grants().await?;
    Ok(Json(GrantsDocument { items: grants.iter().map(GrantDocument::from).collect() }))
}
