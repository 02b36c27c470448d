//! Rows of outages, and their way into the domain.

use planner::node_set::NodeSet;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::{EpochId, OutageId};
use crate::outages::Outage;
use crate::row::inconsistent;

#[derive(FromRow)]
pub(crate) struct OutageRow {
    id: OutageId,
    owner: String,
    reason: String,
    created_s: i64,
    epoch: EpochId,
    start_s: i64,
    end_s: Option<i64>,
    ranks: String,
}

impl TryFrom<OutageRow> for Outage {
    type Error = StorageError;
    fn try_from(row: OutageRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("outages", &row.id, "the ranks cannot be read");
        Ok(Self {
            id: row.id,
            owner: row.owner,
            reason: row.reason,
            created: Timestamp::from_unix_seconds(row.created_s),
            epoch: row.epoch,
            start: Timestamp::from_unix_seconds(row.start_s),
            end: row.end_s.map(Timestamp::from_unix_seconds),
            ranks: ranks_of(&row.ranks).ok_or_else(wrong)?,
        })
    }
}

/// Ranks as the table keeps them.
pub(crate) fn rank_text(ranks: &NodeSet) -> String {
    let word = |range: &std::ops::Range<u32>| format!("{}-{}", range.start, range.end - 1);
    ranks.ranges().iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Ranks from what the table keeps.
pub(crate) fn ranks_of(text: &str) -> Option<NodeSet> {
    let range = |word: &str| {
        let (first, last) = word.split_once('-')?;
        Some(first.parse().ok()?..last.parse::<u32>().ok()?.checked_add(1)?)
    };
    text.split_whitespace().map(range).collect::<Option<Vec<_>>>().map(NodeSet::from_ranges)
}
