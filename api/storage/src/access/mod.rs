//! Who may ask.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::reservation::Role;
use planner::rights::Action;
use planner::time::Timestamp;

use crate::identity::TokenId;

/// A token of the API, known by its digest only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// The token's id.
    pub id: TokenId,
    /// The user who owns it.
    pub owner: String,
    /// What it allows.
    pub role: Role,
    /// SHA-256 of the token in lower-case hexadecimal.
    pub digest: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it was revoked; `None` where it was not.
    pub revoked: Option<Timestamp>,
    /// When it ends by itself; `None` where it does not.
    pub expires: Option<Timestamp>,
    /// When it was used last, as far as that was noted; `None` where it was not.
    pub used: Option<Timestamp>,
    /// What it may do of what its role may; `None` for everything.
    pub actions: Option<Vec<Action>>,
}

impl ApiToken {
    /// Whether it lets somebody in at an instant.
    pub fn counts_at(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| end > now)
    }
}
