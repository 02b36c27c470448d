//! `POST /api/v1/grants`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde_json::json;

use super::GrantDocument;
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::negotiations::answer::granted_power;
use crate::http::v1::schema::GrantRequest;
use crate::service::dialogue::DialogueService;

/// Gives extra power that nobody asked for
///
/// For suppliers and operators. It raises the cap for everybody. One with the `id` of another takes
/// its place.
#[utoipa::path(
    post,
    path = "/api/v1/grants",
    tag = "grid",
    request_body = GrantRequest,
    responses(
        (status = CREATED, body = GrantDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_grant(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    body: JsonBody,
) -> Result<(StatusCode, Extension<AuditNote>, Json<GrantDocument>), Problem> {
    let power = body.read(granted_power)?;
    let before = match &power.supplier_id {
        Some(name) => dialogue.grant_by_name(name).await?,
        None => None,
    };
    let grant = GrantDocument::from(&dialogue.take_gift(&power).await?);
    let before = before.map(|it| json!(GrantDocument::from(&it)));
    let note = AuditNote::of_change(before, Some(json!(grant)));
    let note = note.about(format!("grants/{}", grant.grant_id));
    Ok((StatusCode::CREATED, Extension(note), Json(grant)))
}
