//! The real binary over real sockets, on both databases, and its command line.
//!
//! SQLite always runs. PostgreSQL runs where `WATTBOOK_TEST_POSTGRES_URL` names a server on which
//! databases may be created; with `WATTBOOK_REQUIRE_POSTGRES=1` its absence is a failure.
#![expect(clippy::unwrap_used, reason = "tests")]

mod book;
mod client;
mod cluster;
mod server;
mod site;

mod documents;
mod expiry;
mod grid;
mod kills;
mod races;
mod walk_through;
