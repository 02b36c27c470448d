//! Rows of whom reservations are shared with, and their way into the domain.

use planner::identity::ReservationId;
use planner::reservation::{Receiver, SharedRight, SharedWith};
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct SharedRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    is_project: bool,
    name: String,
    may: String,
}

impl TryFrom<SharedRow> for (ReservationId, SharedWith) {
    type Error = StorageError;
    fn try_from(row: SharedRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "shared_reservations", row: row.reservation_id };
        let may = place.word("may", &row.may, SharedRight::from_word)?;
        let receiver =
            if row.is_project { Receiver::Project(row.name) } else { Receiver::User(row.name) };
        Ok((row.reservation_id, SharedWith { receiver, may }))
    }
}
