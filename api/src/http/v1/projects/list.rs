//! `GET /api/v1/projects`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};

use super::document::ProjectsDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::ProjectService;

/// Projects, by name
///
/// For users, of those that they are in or manage, and operators, of all.
#[utoipa::path(
    get,
    path = "/api/v1/projects",
    tag = "people",
    responses(
        (status = OK, body = ProjectsDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_projects(
    State(projects): State<Arc<ProjectService>>,
    by: By,
) -> (Option<Extension<AuditNote>>, Json<ProjectsDocument>) {
    let document = Json(projects.seen(by.caller.access(), &by.state).into());
    (by.caller.reads(None), document)
}
