//! `DELETE /api/v1/grants/{grant_id}`

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use planner::identity::GrantId;
use uuid::Uuid;

use crate::http::caller::{By, Suppliers};
use crate::http::problem::Problem;
use crate::service::dialogue::DialogueService;

/// Takes extra power back
///
/// For suppliers and operators. Reservations that need it are flagged `degraded`.
#[utoipa::path(
    delete,
    path = "/api/v1/grants/{grant_id}",
    tag = "grid",
    params(("grant_id" = Uuid, Path)),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem, description = "There is none that stands"),
    ),
)]
pub async fn revoke_grant(
    State(dialogue): State<Arc<DialogueService>>,
    _: By<Suppliers>,
    Path(text): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = text.parse::<Uuid>().map_err(|_| Problem::not_found(format!("grant {text:?}")))?;
    dialogue.revoke_grant(GrantId::new(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
