//! Who may ask.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

use crate::identity::TokenId;

/// What the owner of a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Books nodes.
    User,
    /// Runs the cluster.
    Operator,
    /// Sends agendas and answers negotiations.
    Supplier,
}

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

impl Role {
    const ALL: [Self; 3] = [Self::User, Self::Operator, Self::Supplier];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Operator => "operator",
            Self::Supplier => "supplier",
        }
    }

    /// The role of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}
