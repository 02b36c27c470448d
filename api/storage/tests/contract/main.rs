//! One contract, kept by both engines.
//!
//! SQLite always runs. PostgreSQL runs where `WATTBOOK_TEST_POSTGRES_URL` names a server on which
//! databases may be created; with `WATTBOOK_REQUIRE_POSTGRES=1` its absence is a failure.

mod access;
mod agendas;
mod allocations;
mod bench;
mod lifecycle;
mod nodes;
mod proposals;
mod reservations;
mod schema;
mod urls;
