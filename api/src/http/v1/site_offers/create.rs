//! `POST /api/v1/site-offers`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::document::SiteOffersDocument;
use super::schema::SiteOffersRequest;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::other_sites::{OtherSiteService, SiteQuestion};

/// What this site and others offer for a request, in one choice
///
/// For users and operators. All sites are asked at once, none for longer than its `timeout_s`; nothing is held. Energy, cost and CO2 are with
/// what it takes to bring `input_bytes` there and `output_bytes` back. A site that does not answer is listed with why, and what helps.
#[utoipa::path(
    post,
    path = "/api/v1/site-offers",
    tag = "planning",
    request_body = SiteOffersRequest,
    responses(
        (status = OK, body = SiteOffersDocument),
        (status = BAD_REQUEST, body = Problem, description = "The request is not valid at any site"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn create_site_offers(
    State(sites): State<Arc<OtherSiteService>>,
    by: By,
    body: JsonBody,
) -> Result<Json<SiteOffersDocument>, Problem> {
    let question = SiteQuestion::read(body.text(), sites.now()).map_err(Problem::invalid_json)?;
    let offers = sites.offers(by.caller.access(), by.state, question).await?;
    Ok(Json(SiteOffersDocument::new(&offers)))
}
