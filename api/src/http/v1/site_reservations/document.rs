//! Reservations at other sites as documents.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use storage::{SiteReservation, SiteReservationReason};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::service::other_sites::Figures;

/// A reservation at another site.
#[derive(Serialize, ToSchema)]
pub struct SiteReservationDocument {
    /// Its id here.
    id: Uuid,
    /// Who asked for it.
    owner: String,
    /// The site.
    #[schema(example = "lyon")]
    site: String,
    /// `asked` (the site has not answered yet), `held` (it has yet to confirm), `confirmed`, `refused` (nothing is booked), `cancelling` (it has yet
    /// to be cancelled there) or `cancelled`.
    #[schema(example = "confirmed")]
    state: &'static str,
    /// Why nothing is booked, or no more: `offer_changed`, `refused`, `not_asked`, `given_up` or `cancelled_here`; null while nothing went wrong.
    reason: Option<&'static str>,
    /// The same in words, and what helps.
    because: Option<String>,
    /// Its id at the site.
    reservation_id: Option<Uuid>,
    /// The id of its offer at the site.
    offer_id: Option<Uuid>,
    /// The state that the site told last, such as `active`.
    state_there: Option<String>,
    /// What the site holds or confirmed; null before it did.
    booked: Option<Figures>,
    /// What was asked for, as it was sent: `request`, `input_bytes`, `output_bytes` and `expected`.
    #[schema(value_type = Object)]
    asked: Box<RawValue>,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When something was last heard of it, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    changed_at: Timestamp,
}

impl SiteReservationDocument {
    /// A reservation as it is told.
    pub fn new(it: SiteReservation) -> Self {
        let booked = it.told.as_deref().and_then(|told| serde_json::from_str(told).ok());
        let asked = RawValue::from_string(it.asked).unwrap_or_default();
        Self {
            id: it.id.as_uuid(),
            owner: it.owner,
            site: it.site,
            state: it.state.word(),
            reason: it.reason.map(SiteReservationReason::word),
            because: it.because,
            reservation_id: it.reservation.map(ReservationId::as_uuid),
            offer_id: it.offer.map(OfferId::as_uuid),
            state_there: it.state_there,
            booked,
            asked,
            created_at: it.created,
            changed_at: it.changed,
        }
    }
}

/// What is recorded of a change.
pub fn audited(it: &SiteReservation) -> Value {
    serde_json::json!({ "site": it.site, "state": it.state.word(), "reservation_id": it.reservation.map(ReservationId::as_uuid) })
}
