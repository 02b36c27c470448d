//! `DELETE /api/v1/projects/{name}/members/{user}`

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use planner::project::ProjectEdit;

use super::MemberInPath;
use super::audited::audited;
use crate::http::audit::AuditNote;
use crate::http::problem::Problem;
use crate::service::projects::ProjectService;

/// Takes a user out of a project
///
/// For operators, and for who manages the project. What the user booked for it stays theirs.
#[utoipa::path(
    delete,
    path = "/api/v1/projects/{name}/members/{user}",
    tag = "people",
    params(
        ("name" = String, Path, description = "The project"),
        ("user" = String, Path, description = "The user's name"),
    ),
    responses(
        (status = NO_CONTENT),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem, description = "There is no such project, or they are not in it"),
    ),
)]
pub async fn remove_project_member(
    State(projects): State<Arc<ProjectService>>,
    MemberInPath { caller, project, user }: MemberInPath,
) -> Result<(Extension<AuditNote>, StatusCode), Problem> {
    let edit = ProjectEdit::RemoveMember { project, user };
    let edited = projects.edit(caller.access(), &edit).await?;
    Ok((Extension(audited(&edited)), StatusCode::NO_CONTENT))
}
