//! `PUT /api/v1/projects/{name}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::ProjectInPath;
use super::document::{ProjectDocument, ProjectRequest, ProjectsDocument, project};
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::ProjectService;

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
) -> Result<Json<ProjectDocument>, Problem> {
    let edit = body.read(|reader, raw| project(reader, raw, &name))?;
    let after = projects.edit(by.caller.access(), &edit).await?;
    ProjectsDocument::from(after).one(&name).map(Json)
}
