//! `POST /api/v1/reservations/{id}/choose`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::{OfferId, ReservationId};
use planner::json::Reader;
use planner::json::reader::Object;
use planner::preference::Preference;
use planner::reservation::OfferSelector;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::document::{ReservationDocument, tagged_change};
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::http::v1::schema::ChoiceDocument;
use crate::service::booking::{BookingService, Choice, Expected};

/// Confirms one of a reservation's offers
///
/// For its owner, operators and who may change the reservations of its project. Before `expires_at` it never fails for want
/// of nodes or power; after it the answer is 409 with what is possible now. Choosing the same offer again is no error. With
/// `expected` an offer that is something else is not confirmed: 409 `offer_changed`.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/choose",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = ChoiceDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "The offers have expired, and fresh ones come with it; or the offer is not what is `expected`"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "No such offer"),
    ),
)]
pub async fn choose_offer(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let choice = body.read(choice)?;
    let version = if_match(&headers)?;
    let access = by.caller.access();
    let changed = booking.choose(access, id, &choice, version, &by.state).await?;
    tagged_change(&booking, &changed).await
}

fn choice(reader: &mut Reader, raw: &RawValue) -> Option<Choice> {
    let object = reader.object(raw, &["ranking", "offer_id", "expected"])?;
    let expected = reader.optional(&object, "expected", Expected::read);
    let selector = selector(reader, &object)?;
    Some(Choice { selector, expected: expected? })
}

fn selector(reader: &mut Reader, object: &Object<'_>) -> Option<OfferSelector> {
    match (object.get("ranking"), object.get("offer_id")) {
        (Some(_), None) => reader.required(object, "ranking", |reader, raw| {
            let word = reader.string(raw)?;
            let preference = reader.accept(word.parse::<Preference>())?;
            Some(OfferSelector::Preferred(preference))
        }),
        (None, Some(_)) => reader.required(object, "offer_id", |reader, raw| {
            let text = reader.string(raw)?;
            let id = reader.accept(text.parse::<Uuid>().map_err(|_| "is not an offer's id"))?;
            Some(OfferSelector::Offer(OfferId::new(id)))
        }),
        _ => {
            reader.error("must have either ranking or offer_id");
            None
        }
    }
}
