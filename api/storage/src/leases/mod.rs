//! Who does what only one replica should do.
//!
//! Whoever holds a lease makes it beat. The others watch: one whose beat has not changed for long
//! enough *by the watcher's own watch* is free to take, so that clocks of replicas need not agree. How
//! long that is its holder has written with it, so that settings of replicas need not agree either.

mod repository;
mod row;
pub mod sql;

use std::time::Duration;

/// A lease as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What the lease is for.
    pub name: String,
    /// Who has it, and how often it has beaten.
    pub seen: Seen,
    /// For how long after a beat its holder takes it for its own.
    pub lasts: Duration,
}

/// A lease to be taken or renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedLease {
    /// What the lease is for.
    pub name: String,
    /// For how long after a beat whoever has it takes it for their own.
    pub lasts: Duration,
    /// How it was seen for too long, where another has it.
    pub seen: Option<Seen>,
}

/// A holder and a beat: both are the same for as long as nothing is heard of the holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The process that holds it.
    pub holder: String,
    /// Grows with each renewal.
    pub beat: i64,
}
