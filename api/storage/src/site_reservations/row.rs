//! Rows of reservations at other sites, and their way into the domain.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::SiteReservationId;
use crate::row::RowPlace;
use crate::site_reservations::{SiteReservation, SiteReservationReason, SiteReservationState};

#[derive(FromRow)]
pub(super) struct SiteReservationRow {
    id: SiteReservationId,
    owner: String,
    site: String,
    state: String,
    asked_key: Option<String>,
    asked_digest: String,
    asked: String,
    sent: String,
    told: Option<String>,
    reservation_id: Option<Uuid>,
    offer_id: Option<Uuid>,
    state_there: Option<String>,
    reason: Option<String>,
    because: Option<String>,
    created_s: i64,
    changed_s: i64,
    row_version: i64,
}

impl TryFrom<SiteReservationRow> for SiteReservation {
    type Error = StorageError;
    fn try_from(row: SiteReservationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "site_reservations", row: row.id };
        let reason = row.reason.as_deref();
        let reason =
            reason.map(|word| place.word("reason", word, SiteReservationReason::from_word));
        Ok(Self {
            state: place.word("state", &row.state, SiteReservationState::from_word)?,
            id: row.id,
            owner: row.owner,
            site: row.site,
            asked_key: row.asked_key,
            asked_digest: row.asked_digest,
            asked: row.asked,
            sent: row.sent,
            told: row.told,
            reservation: row.reservation_id.map(ReservationId::new),
            offer: row.offer_id.map(OfferId::new),
            state_there: row.state_there,
            reason: reason.transpose()?,
            because: row.because,
            created: Timestamp::from_unix_seconds(row.created_s),
            changed: Timestamp::from_unix_seconds(row.changed_s),
            row_version: row.row_version,
        })
    }
}
