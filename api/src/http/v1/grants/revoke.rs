//! `DELETE /api/v1/grants/{grant_id}`

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use planner::identity::GrantId;
use serde_json::{Value, json};

use super::GrantDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::dialogue::DialogueService;

/// Takes extra power back
///
/// For suppliers and operators. Reservations that need it are flagged `degraded`.
#[utoipa::path(
    delete,
    path = "/api/v1/grants/{grant_id}",
    tag = "grid",
    params(("grant_id" = uuid::Uuid, Path)),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem, description = "There is none that stands"),
    ),
)]
pub async fn revoke_grant(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    IdInPath(id): IdInPath<GrantId>,
) -> Result<(Extension<AuditNote>, StatusCode), Problem> {
    let before = one(&dialogue, id).await?;
    dialogue.revoke_grant(id).await?;
    let note = AuditNote::of_change(before, one(&dialogue, id).await?);
    Ok((Extension(note), StatusCode::NO_CONTENT))
}

/// What is recorded of a grant that has yet to end.
async fn one(dialogue: &DialogueService, id: GrantId) -> Result<Option<Value>, Problem> {
    let grants = dialogue.grants().await?;
    let found = grants.iter().find(|it| it.id == id);
    Ok(found.map(|it| json!(GrantDocument::from(it))))
}
