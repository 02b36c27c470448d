//! `PUT /api/v1/projects/{name}/members/{user}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::project::ProjectEdit;

use super::MemberInPath;
use super::audited::audited;
use super::document::{MemberRequest, ProjectDocument, ProjectsDocument, is_manager};
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::problem::Problem;
use crate::service::projects::{ProjectService, seen_of};

/// Adds a user to a project, or says whether they manage it
///
/// For operators, and for who manages the project, who make nobody a manager.
#[utoipa::path(
    put,
    path = "/api/v1/projects/{name}/members/{user}",
    tag = "people",
    params(
        ("name" = String, Path, description = "The project"),
        ("user" = String, Path, description = "The user's name"),
    ),
    request_body = MemberRequest,
    responses(
        (status = OK, body = ProjectDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn put_project_member(
    State(projects): State<Arc<ProjectService>>,
    MemberInPath { caller, project, user }: MemberInPath,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<ProjectDocument>), Problem> {
    let is_manager = body.read(is_manager)?;
    let edit = ProjectEdit::PutMember { project: project.clone(), user, is_manager };
    let edited = projects.edit(caller.access(), &edit).await?;
    let seen = ProjectsDocument::from(seen_of(caller.access(), &edited.after)).one(&project)?;
    Ok((Extension(audited(&edited)), Json(seen)))
}
