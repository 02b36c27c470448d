//! Rows of draw above plan.

use planner::identity::ReservationId;
use planner::metering::Excess;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::power_excesses::PowerExcess;

/// What stands in place of a reservation's id where all nodes are meant: no reservation has it.
pub(super) const OF_ALL_NODES: Uuid = Uuid::nil();

#[derive(FromRow)]
pub(crate) struct PowerExcessRow {
    reservation_id: Uuid,
    since_s: i64,
    told: bool,
}

impl From<PowerExcessRow> for PowerExcess {
    fn from(row: PowerExcessRow) -> Self {
        let id = (row.reservation_id != OF_ALL_NODES).then_some(row.reservation_id);
        let since = Timestamp::from_unix_seconds(row.since_s);
        Self {
            reservation_id: id.map(ReservationId::new),
            excess: Excess { since, is_told: row.told },
        }
    }
}
