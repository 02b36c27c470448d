//! One contract, kept by both engines.
//!
//! SQLite always runs. PostgreSQL runs where `WATTBOOK_TEST_POSTGRES_URL` names a server on which
//! databases may be created; with `WATTBOOK_REQUIRE_POSTGRES=1` its absence is a failure.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod abandoned;
mod access;
mod agendas;
mod allocations;
mod audit;
mod bench;
mod calendar_feeds;
mod changes;
mod clock;
mod disagreements;
mod erasure;
mod events;
mod feeds;
mod former_power_actions;
mod ledger;
#[path = "../../../tests/service/left_out.rs"]
mod left_out;
mod lifecycle;
mod mails;
mod managed_jobs;
mod managed_nodes;
mod managed_reservations;
mod measurements;
mod modifications;
mod negotiations;
mod nodes;
mod notifications;
mod outages;
mod own_webhooks;
mod polled_meters;
mod power_actions;
mod power_excesses;
mod power_log;
mod proposals;
mod quota_adjustments;
mod recalibration;
mod replacements;
mod reservations;
mod retention;
mod schema;
mod sharing;
mod simulations;
mod site_reservations;
mod urls;
mod webhooks;
mod withheld;
