//! `GET /api/v1/projects/{name}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};

use super::ProjectInPath;
use super::document::ProjectDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::ProjectService;

/// A project
///
/// For who is in it or manages it, and operators; for others there is none.
#[utoipa::path(
    get,
    path = "/api/v1/projects/{name}",
    tag = "people",
    params(("name" = String, Path, description = "The project")),
    responses(
        (status = OK, body = ProjectDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_project(
    State(projects): State<Arc<ProjectService>>,
    by: By,
    ProjectInPath(name): ProjectInPath,
) -> Result<(Option<Extension<AuditNote>>, Json<ProjectDocument>), Problem> {
    let document = Json(projects.project(by.caller.access(), &name, &by.state)?.into());
    Ok((by.caller.reads(None), document))
}
