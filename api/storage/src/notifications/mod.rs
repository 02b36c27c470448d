//! What users want to be told by mail, and at which address.
//!
//! How many codes a user was sent, and when, is kept whatever becomes of the address that they are to confirm: nobody
//! is to flood another's address by naming and forgetting it in turn.

mod repository;
mod row;
pub mod sql;

use std::collections::BTreeSet;

use planner::time::{Seconds, Timestamp};

/// What users may be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotificationKind {
    /// Offers are held, or were withdrawn.
    Offered,
    /// An offer was chosen.
    Confirmed,
    /// Other nodes took the place of some, or a reservation was changed otherwise.
    Moved,
    /// What was promised no longer holds, or holds again.
    Degraded,
    /// A reservation begins in a while.
    BeginsSoon,
    /// A reservation ended, whether it ran or not.
    Ended,
    /// What a month took.
    MonthReport,
}

/// What a user wants to be told by mail, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationSettings {
    /// The user.
    pub owner: String,
    /// Where mails go: an address that was confirmed; `None` before that.
    pub address: Option<String>,
    /// The address that is to be confirmed.
    pub pending: Option<PendingAddress>,
    /// Of what they want to be told.
    pub kinds: BTreeSet<NotificationKind>,
    /// How long before a reservation begins they want to be told.
    pub begins_soon: Seconds,
}

/// An address to which a code was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAddress {
    /// The address.
    pub address: String,
    /// SHA-256 of the code and its owner in lower-case hexadecimal.
    pub code_digest: String,
    /// When it was sent.
    pub sent: Timestamp,
}

impl NotificationKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Offered,
        Self::Confirmed,
        Self::Moved,
        Self::Degraded,
        Self::BeginsSoon,
        Self::Ended,
        Self::MonthReport,
    ];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::Confirmed => "confirmed",
            Self::Moved => "moved",
            Self::Degraded => "degraded",
            Self::BeginsSoon => "begins_soon",
            Self::Ended => "ended",
            Self::MonthReport => "month_report",
        }
    }

    /// The kind of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}
