//! `PUT /api/v1/projects`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};

use super::audited::audited;
use super::document::{ProjectsDocument, ProjectsImport, import};
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::projects::{ProjectService, seen_of};

/// Makes what a source says of projects exactly this
///
/// For operators. Projects and members that the source said before and says no more are removed; what others say stays.
#[utoipa::path(
    put,
    path = "/api/v1/projects",
    tag = "people",
    request_body = ProjectsImport,
    responses(
        (status = OK, body = ProjectsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "The projects are no tree, or one is there twice"),
    ),
)]
pub async fn import_projects(
    State(projects): State<Arc<ProjectService>>,
    by: By,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<ProjectsDocument>), Problem> {
    let edit = body.read(import)?;
    let access = by.caller.access();
    let edited = projects.edit(access, &edit).await?;
    Ok((Extension(audited(&edited)), Json(seen_of(access, &edited.after).into())))
}
