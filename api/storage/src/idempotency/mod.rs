//! What was answered to requests that may be sent again.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

/// The answer to a request that may be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The user who asked.
    pub owner: String,
    /// The key chosen by who asked.
    pub key: String,
    /// A digest of the request, to recognise a key that is used for something else.
    pub fingerprint: String,
    /// The status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub response: String,
    /// When it was answered.
    pub created: Timestamp,
}
