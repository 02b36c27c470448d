//! Reservations as JSON.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use planner::json::basis::BasisDocument;
use planner::json::decision::OfferDocument;
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use storage::{StoredOffer, StoredReservation};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::problem::Problem;
use crate::service::booking::{BookingService, NowExpected};

/// A reservation.
#[derive(Serialize, ToSchema)]
pub struct ReservationDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// Whose.
    pub owner: String,
    /// `proposed`, `confirmed`, `active`, `completed`, `cancelled`, `expired`, `rejected`,
    /// `failed` or `awaiting_supplier`.
    #[schema(example = "proposed")]
    pub state: &'static str,
    /// Whether a lowered cap leaves it without power, or an outage without nodes; `notice` says why
    /// and what can be done.
    pub degraded: bool,
    /// What its owner is to know: why it is degraded or rejected, which offers were withdrawn, or which
    /// nodes took the place of others.
    #[schema(value_type = Option<Object>)]
    pub notice: Value,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// The reservation whose place it takes once an offer is chosen.
    pub replaces: Option<Uuid>,
    /// As it was understood: what was sent, in one form.
    #[schema(value_type = super::super::schema::ReservationRequest)]
    pub request: Value,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Until then the offers are held.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The offer that was chosen.
    pub chosen_offer_id: Option<Uuid>,
    /// Start of the chosen offer.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub start: Option<Timestamp>,
    /// End of the chosen offer.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// `choice` or `optimum`.
    #[schema(value_type = String, example = "choice")]
    pub decision: Value,
    /// The first feasible start when the offers were made.
    #[schema(value_type = Option<OfferDocument>)]
    pub as_soon_as_possible: Value,
    /// As offered, in time order.
    pub offers: Vec<HeldOffer>,
    /// What the offers rest on, where that is known. One that rests on a part of it says which.
    #[schema(value_type = Vec<BasisDocument>)]
    pub basis: Value,
    /// What is expected now, where agendas changed since it was offered; else null.
    #[schema(value_type = Option<NowExpected>)]
    pub now_expected: Value,
}

/// An offer of a reservation.
#[derive(Serialize, ToSchema)]
pub struct HeldOffer {
    /// To choose it by.
    pub offer_id: Uuid,
    /// As offered.
    #[serde(flatten)]
    #[schema(value_type = OfferDocument)]
    pub offer: Value,
}

impl From<&StoredReservation> for ReservationDocument {
    fn from(stored: &StoredReservation) -> Self {
        let mut summary = parsed(&stored.document);
        Self {
            id: stored.id.as_uuid(),
            owner: stored.owner.clone(),
            state: stored.state.word(),
            degraded: stored.degraded,
            notice: stored.notice.as_deref().map(parsed).unwrap_or_default(),
            priority: stored.priority,
            replaces: stored.replaces.map(storage::ReservationId::as_uuid),
            request: parsed(&stored.request),
            created_at: stored.created,
            expires_at: stored.expires,
            chosen_offer_id: stored.chosen.map(|(offer, _)| offer.as_uuid()),
            start: stored.chosen.map(|(_, span)| span.start()),
            end: stored.chosen.map(|(_, span)| span.end()),
            decision: summary["decision"].take(),
            as_soon_as_possible: summary["as_soon_as_possible"].take(),
            offers: stored.offers.iter().map(held).collect(),
            basis: match summary["basis"].take() {
                Value::Null => Value::Array(Vec::new()),
                basis => basis,
            },
            now_expected: Value::Null,
        }
    }
}

fn held(offer: &StoredOffer) -> HeldOffer {
    HeldOffer { offer_id: offer.id.as_uuid(), offer: parsed(&offer.document) }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// A reservation with its entity tag and what is expected now.
pub async fn tagged(
    booking: &BookingService,
    stored: &StoredReservation,
) -> Result<Response, Problem> {
    let mut expected = booking.expected_of(std::slice::from_ref(stored)).await?;
    let now_expected = expected.remove(&stored.id).unwrap_or_default();
    let document = ReservationDocument { now_expected, ..ReservationDocument::from(stored) };
    let mut response = Json(document).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", stored.row_version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}
