//! Rows of re-evaluations.

use planner::identity::{OfferId, ReservationId};
use planner::quantity::Currency;
use planner::reservation::{Expectation, OfferExpectation};
use planner::time::{Span, Timestamp};
use sqlx::FromRow;
use uuid::Uuid;

use crate::amounts::{mass, money};
use crate::error::StorageError;
use crate::identity::RevisionId;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct JudgedRow {
    pub judged: RevisionId,
    pub newest: RevisionId,
}

#[derive(FromRow)]
pub(crate) struct RevisedRow {
    start_s: Option<i64>,
    end_s: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct ExpectedRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    evaluated_s: i64,
    offer_id: Option<Uuid>,
    cost_exact: Option<String>,
    currency: Option<String>,
    co2_exact: Option<String>,
    cap_kept: Option<bool>,
}

impl RevisedRow {
    /// What of the span is to come at an instant.
    pub(crate) fn span_after(&self, now: Timestamp) -> Option<Span> {
        let (start, end) = (instant(self.start_s)?, instant(self.end_s)?);
        Span::new(start.max(now), end)
    }
}

/// Rows of one reservation, which follow each other, as what is expected of it. `O(rows)`.
pub(crate) fn expectations(
    rows: &[ExpectedRow],
) -> Result<Vec<(ReservationId, Expectation)>, StorageError> {
    let same = |a: &ExpectedRow, b: &ExpectedRow| a.reservation_id == b.reservation_id;
    let expectation = |rows: &[ExpectedRow]| {
        let offers = rows.iter().filter_map(|row| row.offer().transpose());
        let evaluated = Timestamp::from_unix_seconds(rows[0].evaluated_s);
        let expectation = Expectation { evaluated, offers: offers.collect::<Result<_, _>>()? };
        Ok((rows[0].reservation_id, expectation))
    };
    rows.chunk_by(same).map(expectation).collect()
}

impl ExpectedRow {
    /// What is expected of the row's offer, where it has one.
    fn offer(&self) -> Result<Option<OfferExpectation>, StorageError> {
        let Some(offer) = self.offer_id else { return Ok(None) };
        let place = RowPlace { table: "expected_offers", row: offer };
        let cost = match (&self.cost_exact, &self.currency) {
            (Some(cost), Some(currency)) => {
                let currency = place.readable("currency", Currency::parse(currency).ok())?;
                Some(place.readable("cost_exact", money(cost, currency))?)
            }
            (Some(_), None) => return Err(place.wrong("currency", "the cost has none")),
            (None, _) => None,
        };
        let co2 = self.co2_exact.as_deref();
        let co2 = co2.map(|it| place.readable("co2_exact", mass(it))).transpose()?;
        Ok(Some(OfferExpectation {
            offer: OfferId::new(offer),
            cost,
            co2,
            cap_kept: self.cap_kept,
        }))
    }
}
