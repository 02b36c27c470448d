//! `POST /api/v1/site-reservations`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use storage::SiteReservationState;

use super::document::{SiteReservationDocument, audited};
use super::schema::SiteReservationRequest;
use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::idempotency_key;
use crate::service::other_sites::{OtherSiteService, SiteOrder};

/// Books what another site offered
///
/// For users and operators. What the site confirms is compared with `expected`: nothing that is worse is booked. Sent again with the same
/// `Idempotency-Key` it books nothing twice, also where an answer of the other site was lost.
#[utoipa::path(
    post,
    path = "/api/v1/site-reservations",
    tag = "planning",
    params(("Idempotency-Key" = Option<String>, Header, description = "1 to 255 characters")),
    request_body = SiteReservationRequest,
    responses(
        (status = CREATED, body = SiteReservationDocument, description = "It is confirmed"),
        (status = ACCEPTED, body = SiteReservationDocument, description = "The site has not answered in time; it is asked again for a quarter of an hour, and then to cancel what it did"),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "Nothing is booked: the site offers something else by now (`offer_changed`) or refuses (`site_refused`); or the key was used for another request"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "`unknown_site`, or `this_site`"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "`site_unreachable`: nothing is booked"),
    ),
)]
pub async fn create_site_reservation(
    State(sites): State<Arc<OtherSiteService>>,
    by: By,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<(StatusCode, Extension<AuditNote>, Json<SiteReservationDocument>), Problem> {
    let key = idempotency_key(&headers, body.text())?;
    let order = SiteOrder::read(body.text(), sites.now()).map_err(Problem::invalid_json)?;
    let made = sites.book(by.caller.access(), &order, body.text(), key.as_ref()).await?;
    let status = match made.state {
        SiteReservationState::Confirmed => StatusCode::CREATED,
        _ => StatusCode::ACCEPTED,
    };
    let note = AuditNote::of_change(None, Some(audited(&made)));
    let note = note.about(format!("site-reservations/{}", made.id));
    Ok((status, Extension(note), Json(SiteReservationDocument::new(made))))
}
