//! `DELETE /api/v1/site-reservations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use storage::{SiteReservationId, SiteReservationState};

use super::document::{SiteReservationDocument, audited};
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::other_sites::OtherSiteService;

/// Cancels a reservation at its site
///
/// For its owner and operators. One that is not booked any more stays as it is.
#[utoipa::path(
    delete,
    path = "/api/v1/site-reservations/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SiteReservationDocument),
        (status = ACCEPTED, body = SiteReservationDocument, description = "The site does not answer; it is cancelled there as soon as it does"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn cancel_site_reservation(
    State(sites): State<Arc<OtherSiteService>>,
    by: By,
    IdInPath(id): IdInPath<SiteReservationId>,
) -> Result<(StatusCode, Extension<AuditNote>, Json<SiteReservationDocument>), Problem> {
    let ended = sites.cancel(by.caller.access(), id).await?;
    let status = match ended.state {
        SiteReservationState::Cancelling => StatusCode::ACCEPTED,
        _ => StatusCode::OK,
    };
    let note = AuditNote::of_change(None, Some(audited(&ended))).whose(&ended.owner);
    Ok((status, Extension(note), Json(SiteReservationDocument::new(ended))))
}
