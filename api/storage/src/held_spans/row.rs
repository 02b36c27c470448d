//! Rows of what is held, and their way into the domain.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::held_spans::{HeldSpan, StatedHour};
use crate::row::{RowPlace, instant, set_of};

#[derive(FromRow)]
pub(crate) struct HeldSpanRow {
    #[sqlx(try_from = "Uuid")]
    id: ReservationId,
    owner: String,
    project: String,
    request: String,
    held_until_s: Option<i64>,
    #[sqlx(try_from = "Uuid")]
    offer_id: OfferId,
    start_s: i64,
    end_s: i64,
    nodes: i64,
    offer_end_s: i64,
    freed_ranges: Option<String>,
    energy_uj: String,
    cost_exact: String,
    co2_exact: String,
}

impl TryFrom<HeldSpanRow> for HeldSpan {
    type Error = StorageError;
    fn try_from(row: HeldSpanRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "offers", row: row.offer_id };
        let amount = |column, text: &str| place.readable(column, text.parse::<i128>().ok());
        Ok(Self {
            span: place.span("end_s", row.start_s, row.end_s)?,
            nodes: place.count("end_rank", row.nodes)?,
            freed_nodes: match row.freed_ranges.as_deref() {
                Some(ranges) => place.readable("node_ranges", set_of(ranges))?.count(),
                None => 0,
            },
            amounts: [
                amount("energy_uj", &row.energy_uj)?,
                amount("cost_exact", &row.cost_exact)?,
                amount("co2_exact", &row.co2_exact)?,
            ],
            reservation_id: row.id,
            owner: row.owner,
            project: row.project,
            request: row.request,
            held_until: instant(row.held_until_s),
            offer_id: row.offer_id,
            offer_end: Timestamp::from_unix_seconds(row.offer_end_s),
        })
    }
}

#[derive(FromRow)]
pub(crate) struct StatedHourRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    counted_s: i64,
    energy_j: i64,
    cost_millionths: Option<i64>,
    unpriced_j: i64,
    co2_location_mg: Option<i64>,
    unrated_j: i64,
}

impl From<StatedHourRow> for StatedHour {
    fn from(row: StatedHourRow) -> Self {
        Self {
            reservation_id: row.reservation_id,
            hour: Timestamp::from_unix_seconds(row.counted_s),
            energy_j: row.energy_j,
            cost_millionths: row.cost_millionths.filter(|_| row.unpriced_j == 0),
            co2_mg: row.co2_location_mg.filter(|_| row.unrated_j == 0),
        }
    }
}
