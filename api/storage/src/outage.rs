//! Outages: nodes that cannot be taken though nobody reserved them.

use planner::node_set::NodeSet;
use planner::time::{Span, Timestamp};

use crate::identity::{EpochId, OutageId};

/// Nodes that are down or in maintenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Which outage.
    pub id: OutageId,
    /// Who said so.
    pub owner: String,
    /// In words, for people.
    pub reason: String,
    /// When it was said.
    pub created: Timestamp,
    /// The epoch whose ranks these are.
    pub epoch: EpochId,
    /// Since when.
    pub start: Timestamp,
    /// Until when; `None` where that is not known.
    pub end: Option<Timestamp>,
    /// Which nodes, as ranks in the epoch's draw order.
    pub ranks: NodeSet,
}

impl Outage {
    /// When; without an end until the end of time. `None` only for spans that were written wrongly.
    pub fn span(&self) -> Option<Span> {
        Span::new(self.start, self.end.unwrap_or(Timestamp::MAX))
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
