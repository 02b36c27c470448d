//! `DELETE /api/v1/tokens/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use storage::TokenId;

use super::document::{ApiTokenDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::tokens::TokenService;

/// Makes an API token invalid from now on
///
/// One's own; of operators everybody's. One that was revoked before stays as it is. What was sent with it goes on to its end, but for streams of events.
#[utoipa::path(
    delete,
    path = "/api/v1/tokens/{id}",
    tag = "people",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = ApiTokenDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn revoke_api_token(
    State(tokens): State<Arc<TokenService>>,
    by: By,
    IdInPath(id): IdInPath<TokenId>,
) -> Result<(Extension<AuditNote>, Json<ApiTokenDocument>), Problem> {
    let (before, after) = tokens.revoke(by.caller.token_maker(), id).await?;
    let note = AuditNote::of_change(Some(audited(&before)), Some(audited(&after)));
    let document = ApiTokenDocument::new(&after, &by.caller);
    Ok((Extension(note.whose(&after.owner)), Json(document)))
}
