//! Rows of allocations, and their way into the domain.

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::reservation::ReservationState;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct AllocationRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    #[sqlx(try_from = "Uuid")]
    offer_id: OfferId,
    owner: String,
    state: String,
    epoch: EpochId,
    first_rank: i64,
    end_rank: i64,
    start_s: i64,
    end_s: i64,
    slowed_peak_uw: Option<i64>,
}

impl TryFrom<AllocationRow> for Allocation {
    type Error = StorageError;
    fn try_from(row: AllocationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "allocations", row: row.offer_id };
        let first_rank = place.count("first_rank", row.first_rank)?;
        let end_rank = place.count("end_rank", row.end_rank)?;
        Ok(Self {
            reservation_id: row.reservation_id,
            offer_id: row.offer_id,
            state: place.word("state", &row.state, ReservationState::from_word)?,
            epoch: row.epoch,
            span: place.span("end_s", row.start_s, row.end_s)?,
            ranks: NodeSet::from_ranges(std::iter::once(first_rank..end_rank).collect()),
            owner: row.owner,
            slowed_peak: row.slowed_peak_uw.map(Power::from_microwatts),
        })
    }
}

/// Rows of one offer and span, which follow each other, as one allocation. `O(rows)`.
pub(crate) fn grouped(rows: Vec<AllocationRow>) -> Result<Vec<Allocation>, StorageError> {
    let mut groups: Vec<(Allocation, Vec<std::ops::Range<u32>>)> = Vec::new();
    for row in rows {
        let next = Allocation::try_from(row)?;
        let ranges = next.ranks.ranges().to_vec();
        match groups.last_mut() {
            Some((last, all)) if last.offer_id == next.offer_id && last.span == next.span => {
                all.extend(ranges);
            }
            _ => groups.push((next, ranges)),
        }
    }
    let whole =
        |(allocation, ranges)| Allocation { ranks: NodeSet::from_ranges(ranges), ..allocation };
    Ok(groups.into_iter().map(whole).collect())
}
