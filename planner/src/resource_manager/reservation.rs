//! Reservations in the resource manager, and how they are compared with ours.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::identity::ReservationId;
use crate::time::{Span, Timestamp};

/// What the names of our reservations begin with in the resource manager.
const PREFIX: &str = "wattbook-";

/// The name of a reservation in the resource manager.
pub fn reservation_name(id: ReservationId) -> String {
    format!("{PREFIX}{id}")
}

/// The reservation of ours that a name in the resource manager stands for; `None` for other people's.
pub fn reservation_id(name: &str) -> Option<ReservationId> {
    let id = name.strip_prefix(PREFIX)?;
    Uuid::try_parse(id).ok().map(ReservationId::new).filter(|it| it.to_string() == id)
}

/// A reservation as the resource manager has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedReservation {
    /// Its name, which is unique.
    pub name: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
    /// When.
    pub span: Span,
    /// Who may run jobs in it.
    pub users: BTreeSet<String>,
    /// The accounts whose jobs may run in it.
    pub accounts: BTreeSet<String>,
    /// What is special about it, in the resource manager's words, such as `MAINT`.
    pub flags: BTreeSet<String>,
}

/// A reservation as the resource manager ought to have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedReservation {
    /// Its name: see [`reservation_name`].
    pub name: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
    /// When.
    pub span: Span,
    /// Who may run jobs in it.
    pub users: BTreeSet<String>,
    /// The accounts whose jobs may run in it.
    pub accounts: BTreeSet<String>,
}

/// How a managed reservation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagedState {
    /// It has yet to be made, or to be changed.
    Waiting,
    /// The resource manager has it as it ought to be.
    InForce,
    /// The resource manager refused it, or has another one.
    Failed,
    /// Somebody removed it in the resource manager, and it is not made again.
    Lost,
    /// It has ended, and the resource manager has it no more.
    Removed,
}

impl ManagedState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::InForce, Self::Failed, Self::Lost, Self::Removed];

    /// The word in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::InForce => "in_force",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Removed => "removed",
        }
    }

    /// The state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// One way in which what the resource manager has is not what it ought to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Nodes that it lacks, and nodes that it has beyond.
    Nodes {
        /// Wanted, and not in it.
        missing: BTreeSet<String>,
        /// In it, and not wanted.
        extra: BTreeSet<String>,
    },
    /// It begins at another instant.
    Start {
        /// When it ought to begin.
        wanted: Timestamp,
        /// When it begins.
        seen: Timestamp,
    },
    /// It ends at another instant.
    End {
        /// When it ought to end.
        wanted: Timestamp,
        /// When it ends.
        seen: Timestamp,
    },
    /// Others may run jobs in it.
    Users {
        /// Who ought to.
        wanted: BTreeSet<String>,
        /// Who may.
        seen: BTreeSet<String>,
    },
    /// Jobs of other accounts may run in it.
    Accounts {
        /// Whose ought to.
        wanted: BTreeSet<String>,
        /// Whose may.
        seen: BTreeSet<String>,
    },
}

/// How what is seen differs from what is wanted at `now`, node by node; empty where it does not. A start
/// that has passed is not compared: reservations that are made after it begin when they are made.
pub fn differences(
    wanted: &WantedReservation,
    seen: &ManagedReservation,
    now: Timestamp,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if wanted.nodes != seen.nodes {
        found.push(Difference::Nodes {
            missing: wanted.nodes.difference(&seen.nodes).cloned().collect(),
            extra: seen.nodes.difference(&wanted.nodes).cloned().collect(),
        });
    }
    let (starts, seen_start) = (wanted.span.start(), seen.span.start());
    if starts != seen_start && (starts > now || seen_start > now) {
        found.push(Difference::Start { wanted: starts, seen: seen_start });
    }
    if wanted.span.end() != seen.span.end() {
        found.push(Difference::End { wanted: wanted.span.end(), seen: seen.span.end() });
    }
    if wanted.users != seen.users {
        found.push(Difference::Users { wanted: wanted.users.clone(), seen: seen.users.clone() });
    }
    if wanted.accounts != seen.accounts {
        found.push(Difference::Accounts {
            wanted: wanted.accounts.clone(),
            seen: seen.accounts.clone(),
        });
    }
    found
}
