//! Rows of reservations and offers, and their way into the domain.

use planner::ranking::Ranking;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::{OfferId, ReservationId};
use crate::reservations::reservation::{ReservationState, StoredOffer, StoredReservation};
use crate::row::{inconsistent, span};

#[derive(FromRow)]
pub(crate) struct ReservationRow {
    pub id: ReservationId,
    owner: String,
    state: String,
    degraded: bool,
    request: String,
    created_s: i64,
    expires_s: i64,
    chosen_offer_id: Option<OfferId>,
    start_s: Option<i64>,
    end_s: Option<i64>,
    document: String,
    row_version: i64,
    confirmed_s: Option<i64>,
    priority: i64,
    replaces: Option<ReservationId>,
    notice: Option<String>,
}

#[derive(FromRow)]
pub(crate) struct OfferRow {
    id: OfferId,
    pub reservation_id: ReservationId,
    start_s: i64,
    end_s: i64,
    document: String,
    rankings: String,
}

impl TryFrom<(ReservationRow, Vec<StoredOffer>)> for StoredReservation {
    type Error = StorageError;
    fn try_from((row, offers): (ReservationRow, Vec<StoredOffer>)) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("reservations", &row.id, problem);
        let chosen = match (row.chosen_offer_id, row.start_s, row.end_s) {
            (Some(offer), Some(start_s), Some(end_s)) => {
                Some((offer, span(start_s, end_s).ok_or_else(wrong("the span is empty"))?))
            }
            (None, None, None) => None,
            _ => return Err(wrong("the chosen offer and its span are not all there")()),
        };
        Ok(Self {
            id: row.id,
            owner: row.owner,
            state: ReservationState::from_word(&row.state).ok_or_else(wrong("unknown state"))?,
            degraded: row.degraded,
            request: row.request,
            created: Timestamp::from_unix_seconds(row.created_s),
            expires: Timestamp::from_unix_seconds(row.expires_s),
            chosen,
            document: row.document,
            row_version: row.row_version,
            confirmed: row.confirmed_s.map(Timestamp::from_unix_seconds),
            priority: row.priority,
            replaces: row.replaces,
            notice: row.notice,
            offers,
        })
    }
}

impl TryFrom<OfferRow> for StoredOffer {
    type Error = StorageError;
    fn try_from(row: OfferRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("offers", &row.id, problem);
        let rankings: Result<Vec<Ranking>, _> =
            row.rankings.split_whitespace().map(str::parse).collect();
        Ok(Self {
            id: row.id,
            span: span(row.start_s, row.end_s).ok_or_else(wrong("the span is empty"))?,
            rankings: rankings.map_err(|_| wrong("unknown ranking")())?,
            document: row.document,
        })
    }
}
