//! What sources of agendas said, revision by revision, and how they stand.

mod packed;
mod repository;
mod row;
pub mod sql;

use planner::agenda::{Piece, Quality};
use planner::time::{Span, Timestamp};

use crate::agendas::Quantity;
use crate::identity::FeedRevisionId;

/// A value and how well it is known, exact: millionths of the unit, microwatts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedValue {
    /// In the exact unit.
    pub value: i64,
    /// How well the value is known.
    pub quality: Quality,
}

/// A revision to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFeedRevision {
    /// The id of the source.
    pub feed: String,
    /// The quantity.
    pub quantity: Quantity,
    /// The bidding zone, region or site, in the supplier's spelling.
    pub zone: String,
    /// Unit, currency, accounting: what never mixes, in words.
    pub kind: String,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
    /// When it came.
    pub received: Timestamp,
    /// What was odd about it.
    pub notes: Vec<String>,
    /// In time order, without overlap, at least one.
    pub pieces: Vec<Piece<FeedValue>>,
}

/// A revision without its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRevisionMeta {
    /// The revision's id.
    pub id: FeedRevisionId,
    /// The id of the source.
    pub feed: String,
    /// The zone.
    pub zone: String,
    /// The kind in words.
    pub kind: String,
    /// The least of its pieces.
    pub quality: Quality,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
    /// When it came.
    pub received: Timestamp,
    /// From its first start to its last end.
    pub span: Span,
    /// How many pieces.
    pub piece_count: i64,
    /// What was odd about it.
    pub notes: Vec<String>,
}

/// A revision with its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRevision {
    /// About it.
    pub meta: FeedRevisionMeta,
    /// In time order.
    pub pieces: Vec<Piece<FeedValue>>,
}

/// What is newer than what somebody has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedNews {
    /// The newest revision.
    pub latest: FeedRevisionId,
    /// The earliest instant that a newer revision speaks of; `None` where there is none.
    pub since: Option<Timestamp>,
}

/// Why the last poll failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedFailure {
    /// The instant.
    pub at: Timestamp,
    /// A stable word.
    pub class: String,
    /// In words, without secrets.
    pub message: String,
}

/// How a source stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedState {
    /// When it was last asked.
    pub last_poll: Option<Timestamp>,
    /// When it last answered, if only that nothing changed.
    pub last_success: Option<Timestamp>,
    /// That the last poll failed.
    pub failure: Option<FeedFailure>,
    /// What identifies the supplier's last answer.
    pub validator: Option<String>,
    /// When it is asked next.
    pub next_poll: Timestamp,
    /// The supplier asked not to be asked before.
    pub closed_until: Timestamp,
    /// Failures since the last success.
    pub failures_in_turn: u32,
    /// The end of what it ever said.
    pub horizon: Option<Timestamp>,
    /// When it last brought what was awaited.
    pub grown: Option<Timestamp>,
    /// Requests made.
    pub requests: i64,
    /// Polls that failed.
    pub failures: i64,
    /// Somebody asked for a poll then.
    pub refresh: Option<Timestamp>,
}
