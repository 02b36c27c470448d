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

mod bad_bodies;
mod bad_requests;
mod documents;
mod expiry;
mod filters;
mod grid;
mod kills;
mod memory;
mod outages;
mod plan;
mod process;
mod races;
mod repeats;
mod roles;
mod scope;
mod shapes;
mod simulate;
mod tokens;
mod walk_through;
