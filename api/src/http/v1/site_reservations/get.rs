//! `GET /api/v1/site-reservations/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use storage::SiteReservationId;

use super::document::SiteReservationDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::service::other_sites::OtherSiteService;

/// A reservation at another site, with its state there
///
/// For its owner and operators. The site is asked; where it does not answer in time, what it told last is told.
#[utoipa::path(
    get,
    path = "/api/v1/site-reservations/{id}",
    tag = "planning",
    params(("id" = uuid::Uuid, Path)),
    responses(
        (status = OK, body = SiteReservationDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_site_reservation(
    State(sites): State<Arc<OtherSiteService>>,
    by: By,
    IdInPath(id): IdInPath<SiteReservationId>,
) -> Result<(Option<Extension<AuditNote>>, Json<SiteReservationDocument>), Problem> {
    let found = sites.reservation(by.caller.access(), id).await?;
    let note = by.caller.reads(Some(&found.owner));
    Ok((note, Json(SiteReservationDocument::new(found))))
}
