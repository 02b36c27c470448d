//! Rows of calendar feeds.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::calendar_feeds::CalendarFeed;

#[derive(FromRow)]
pub(crate) struct CalendarFeedRow {
    owner: String,
    digest: String,
    created_s: i64,
}

impl From<CalendarFeedRow> for CalendarFeed {
    fn from(row: CalendarFeedRow) -> Self {
        let created = Timestamp::from_unix_seconds(row.created_s);
        Self { owner: row.owner, digest: row.digest, created }
    }
}
