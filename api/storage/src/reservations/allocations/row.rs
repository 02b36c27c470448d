//! Rows of allocations, and their way into the domain.

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::ReservationState;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::row::{inconsistent, span};

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
}

impl TryFrom<AllocationRow> for Allocation {
    type Error = StorageError;
    fn try_from(row: AllocationRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("allocations", &row.offer_id, problem);
        let rank = |rank| u32::try_from(rank).map_err(|_| wrong("a rank is out of range")());
        Ok(Self {
            reservation_id: row.reservation_id,
            offer_id: row.offer_id,
            state: ReservationState::from_word(&row.state).ok_or_else(wrong("unknown state"))?,
            epoch: row.epoch,
            span: span(row.start_s, row.end_s).ok_or_else(wrong("the span is empty"))?,
            ranks: NodeSet::from_ranges(
                std::iter::once(rank(row.first_rank)?..rank(row.end_rank)?).collect(),
            ),
            owner: row.owner,
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
