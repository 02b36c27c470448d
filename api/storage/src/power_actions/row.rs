//! Rows of power actions, and their way into the domain.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::PowerActionId;
use crate::power_actions::{PowerAction, PowerActionKind, PowerActionState};
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct PowerActionRow {
    id: PowerActionId,
    node: String,
    action: String,
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    state: String,
    because: Option<String>,
    created_s: i64,
    ordered_s: Option<i64>,
    done_s: Option<i64>,
}

impl TryFrom<PowerActionRow> for PowerAction {
    type Error = StorageError;
    fn try_from(row: PowerActionRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "power_actions", row: row.id };
        Ok(Self {
            id: row.id,
            node: row.node,
            kind: place.word("action", &row.action, PowerActionKind::from_word)?,
            reservation_id: row.reservation_id,
            state: place.word("state", &row.state, PowerActionState::from_word)?,
            because: row.because,
            created: Timestamp::from_unix_seconds(row.created_s),
            ordered: instant(row.ordered_s),
            done: instant(row.done_s),
        })
    }
}
