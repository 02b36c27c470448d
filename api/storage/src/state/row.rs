//! Rows of what is held, pieces of agendas, and their way into the domain.

use planner::agenda::Piece;
use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::row::{RowPlace, instant};
use crate::state::{Holder, Holding};

#[derive(FromRow)]
pub(crate) struct HoldingRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    #[sqlx(try_from = "Uuid")]
    offer_id: OfferId,
    held_until_s: Option<i64>,
    first_rank: i64,
    end_rank: i64,
    start_s: i64,
    end_s: i64,
    slowed_peak_uw: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct HolderRow {
    #[sqlx(try_from = "Uuid")]
    id: ReservationId,
    owner: String,
    request: String,
}

impl From<HolderRow> for Holder {
    fn from(HolderRow { id, owner, request }: HolderRow) -> Self {
        Self { reservation_id: id, owner, request }
    }
}

/// Rows of one offer and span, which follow each other, as one holding. `O(rows)`.
pub(crate) fn held(rows: &[HoldingRow]) -> Result<Vec<Holding>, StorageError> {
    let same = |a: &HoldingRow, b: &HoldingRow| {
        (a.offer_id, a.start_s, a.end_s) == (b.offer_id, b.start_s, b.end_s)
    };
    rows.chunk_by(same).map(holding).collect()
}

fn holding(rows: &[HoldingRow]) -> Result<Holding, StorageError> {
    let first = &rows[0];
    let place = RowPlace { table: "allocations", row: first.offer_id };
    let range = |row: &HoldingRow| {
        let first_rank = place.count("first_rank", row.first_rank)?;
        Ok(first_rank..place.count("end_rank", row.end_rank)?)
    };
    let ranges = rows.iter().map(range).collect::<Result<Vec<_>, StorageError>>()?;
    Ok(Holding {
        reservation_id: first.reservation_id,
        held_until: instant(first.held_until_s),
        span: place.span("end_s", first.start_s, first.end_s)?,
        ranks: NodeSet::from_ranges(ranges),
        slowed_peak: first.slowed_peak_uw.map(Power::from_microwatts),
    })
}

/// Pieces in the type of their quantity.
pub(crate) fn typed<V>(
    pieces: Vec<Piece<i64>>,
    value: impl Fn(i64) -> Option<V>,
) -> Result<Vec<Piece<V>>, StorageError> {
    let typed = |piece: Piece<i64>| {
        let place = RowPlace { table: "agenda_current", row: piece.span };
        let wrong = || place.wrong("value_millionths", "the value is out of range");
        Ok(Piece { span: piece.span, value: value(piece.value).ok_or_else(wrong)? })
    };
    pieces.into_iter().map(typed).collect()
}
