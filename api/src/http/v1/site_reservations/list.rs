//! `GET /api/v1/site-reservations`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use storage::SiteReservationId;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::SiteReservationDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::other_sites::OtherSiteService;

/// Which reservations at other sites.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SiteReservationsQuery {
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Reservations in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of reservations at other sites.
#[derive(Serialize, ToSchema)]
pub struct SiteReservationsPage {
    /// Newest first.
    pub items: Vec<SiteReservationDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Reservations at other sites, newest first, as they were last heard of
///
/// For users, who see their own, and operators, who see all. No site is asked.
#[utoipa::path(
    get,
    path = "/api/v1/site-reservations",
    tag = "planning",
    params(SiteReservationsQuery),
    responses(
        (status = OK, body = SiteReservationsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_site_reservations(
    State(sites): State<Arc<OtherSiteService>>,
    by: By,
    Parameters(parameters): Parameters<SiteReservationsQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<SiteReservationsPage>), Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let before = parameters.cursor.map(SiteReservationId::new);
    let page = sites.reservations(by.caller.access(), before, limit).await?;
    let page = SiteReservationsPage {
        items: page.reservations.into_iter().map(SiteReservationDocument::new).collect(),
        next_cursor: page.next.map(SiteReservationId::as_uuid),
    };
    Ok((by.caller.reads(None), Json(page)))
}
