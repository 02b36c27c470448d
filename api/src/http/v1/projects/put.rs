//! `PUT /api/v1/projects/{name}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};

use super::ProjectInPath;
use super::audited::audited;
use super::document::{ProjectDocument, ProjectRequest, ProjectsDocument, project};
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::{ProjectService, seen_of};

/// Makes a project, or moves it to another place in the tree
///
/// For operators. Who is in it stays.
#[utoipa::path(
    put,
    path = "/api/v1/projects/{name}",
    tag = "people",
    params(("name" = String, Path, description = "The project")),
    request_body = ProjectRequest,
    responses(
        (status = OK, body = ProjectDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "Its parent is no project, or is a part of it"),
    ),
)]
pub async fn put_project(
    State(projects): State<Arc<ProjectService>>,
    by: By,
    ProjectInPath(name): ProjectInPath,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<ProjectDocument>), Problem> {
    let edit = body.read(|reader, raw| project(reader, raw, &name))?;
    let access = by.caller.access();
    let edited = projects.edit(access, &edit).await?;
    let seen = ProjectsDocument::from(seen_of(access, &edited.after)).one(&name)?;
    Ok((Extension(audited(&edited)), Json(seen)))
}
