//! How meters stand that are asked.

mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

/// How a meter of the settings stands that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolledMeter {
    /// Its name in the settings.
    pub id: String,
    /// All that it had before was taken; `None` where it never answered, and of meters that only tell what is now.
    pub asked_until: Option<Timestamp>,
    /// When it was last asked.
    pub last_poll: Timestamp,
    /// When it last answered.
    pub last_success: Option<Timestamp>,
    /// When it is asked next.
    pub next_poll: Timestamp,
    /// Polls that failed since the last that did not.
    pub failures_in_turn: u32,
    /// When a poll last failed, and why; `None` once one went well.
    pub failure: Option<(Timestamp, String)>,
    /// What the last poll told that could not be used, a line each.
    pub notes: Vec<String>,
    /// Polls.
    pub polls: i64,
    /// Polls that failed.
    pub failures: i64,
    /// Samples that were kept.
    pub taken: i64,
    /// How many of these came after later ones.
    pub late: i64,
    /// Samples that were kept before.
    pub doubled: i64,
    /// Samples that were refused.
    pub refused: i64,
}
