//! Who may ask.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::reservation::Role;
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
    /// When it was revoked; `None` while it is valid.
    pub revoked: Option<Timestamp>,
}
