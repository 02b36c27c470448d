//! `DELETE /api/v1/projects/{name}`

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use planner::project::ProjectEdit;

use super::ProjectInPath;
use super::audited::audited;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::ProjectService;

/// Removes a project, of which no other is a part
///
/// For operators. What was booked for it stays, and keeps its name.
#[utoipa::path(
    delete,
    path = "/api/v1/projects/{name}",
    tag = "people",
    params(("name" = String, Path, description = "The project")),
    responses(
        (status = NO_CONTENT),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "Other projects are part of it"),
    ),
)]
pub async fn remove_project(
    State(projects): State<Arc<ProjectService>>,
    by: By,
    ProjectInPath(name): ProjectInPath,
) -> Result<(Extension<AuditNote>, StatusCode), Problem> {
    let edited = projects.edit(by.caller.access(), &ProjectEdit::Remove { name }).await?;
    Ok((Extension(audited(&edited)), StatusCode::NO_CONTENT))
}
