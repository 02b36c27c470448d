//! Rows of events.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::events::Event;
use crate::identity::EventId;

#[derive(FromRow)]
pub(crate) struct EventRow {
    id: EventId,
    at_s: i64,
    kind: String,
    owner: Option<String>,
    data: String,
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        let at = Timestamp::from_unix_seconds(row.at_s);
        Self { id: row.id, at, kind: row.kind, owner: row.owner, data: row.data }
    }
}
