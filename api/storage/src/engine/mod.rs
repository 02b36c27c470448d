//! What all nouns rest on: the two engines, their connections and transactions, and how databases are
//! opened. Nothing here knows a table of the domain.

pub(crate) mod blocking;
pub(crate) mod connections;
pub(crate) mod dialect;
mod gathering;
#[cfg(target_os = "linux")]
mod nodelay;
pub(crate) mod opening;
pub(crate) mod reach;
pub(crate) mod rows;
pub(crate) mod silence;
pub mod sql;
pub(crate) mod transaction;
pub(crate) mod turns;
pub(crate) mod waits;
