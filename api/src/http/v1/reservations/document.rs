//! Reservations as JSON.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use planner::json::decision::OfferDocument;
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use storage::{StoredOffer, StoredReservation};
use utoipa::ToSchema;
use uuid::Uuid;

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
    /// Whether a changed agenda has made it impossible as it stands; not judged yet.
    pub degraded: bool,
    /// As it was sent.
    #[schema(value_type = super::super::schema::RequestDocument)]
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
            request: parsed(&stored.request),
            created_at: stored.created,
            expires_at: stored.expires,
            chosen_offer_id: stored.chosen.map(|(offer, _)| offer.as_uuid()),
            start: stored.chosen.map(|(_, span)| span.start()),
            end: stored.chosen.map(|(_, span)| span.end()),
            decision: summary["decision"].take(),
            as_soon_as_possible: summary["as_soon_as_possible"].take(),
            offers: stored.offers.iter().map(held).collect(),
        }
    }
}

fn held(offer: &StoredOffer) -> HeldOffer {
    HeldOffer { offer_id: offer.id.as_uuid(), offer: parsed(&offer.document) }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// A reservation with its entity tag.
pub fn tagged(stored: &StoredReservation) -> Response {
    let mut response = Json(ReservationDocument::from(stored)).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", stored.row_version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
