//! Who does what only one replica should do.
//!
//! Whoever holds a lease makes it beat. The others watch: one whose beat has not changed for long
//! enough *by the watcher's own watch* is free to take, so that clocks of replicas need not agree.

use sqlx::FromRow;

/// A lease as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// For what.
    pub name: String,
    /// Who has it, and how often it has beaten.
    pub seen: Seen,
}

/// A holder and a beat: both are the same for as long as nothing is heard of the holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who.
    pub holder: String,
    /// Grows with each renewal.
    pub beat: i64,
}

#[derive(FromRow)]
pub(crate) struct LeaseRow {
    name: String,
    holder: String,
    beat: i64,
}

impl From<LeaseRow> for Lease {
    fn from(row: LeaseRow) -> Self {
        Self { name: row.name, seen: Seen { holder: row.holder, beat: row.beat } }
    }
}
