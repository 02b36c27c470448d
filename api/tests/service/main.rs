//! The real binary over real sockets, on both databases, and its command line.
//!
//! SQLite always runs. PostgreSQL runs where `WATTBOOK_TEST_POSTGRES_URL` names a server on which
//! databases may be created; with `WATTBOOK_REQUIRE_POSTGRES=1` its absence is a failure.
#![expect(clippy::unwrap_used, reason = "tests")]

mod book;
mod client;
mod cluster;
mod command_folder;
mod dialogue;
mod issuer;
mod left_out;
mod link;
mod mail_server;
mod peers;
mod raw;
mod result_files;
mod series;
mod series_kills;
mod server;
mod site;
mod supply;

mod announcements;
mod audit;
mod audited;
mod away;
mod bad_bodies;
mod bad_requests;
mod batch;
mod batch_formats;
mod batch_inputs;
mod batch_parts;
mod batch_shares;
mod batch_site;
mod batch_sites;
mod batch_supply;
mod batch_supply_sweep;
mod batch_sweep;
mod batch_sweep_network;
mod batch_system;
mod batch_system_sweep;
mod booking;
mod booking_lists;
mod browser_rules;
mod budgets;
mod calendar;
mod carbon_aware;
mod changed_kills;
mod chaos;
mod clock_jumps;
mod compressed;
mod compromise;
mod connections;
mod copies;
mod coverage;
#[cfg(feature = "supplier")]
mod demo;
mod dialogue_faults;
mod disconnects;
mod documents;
mod estimates;
mod event_stream;
mod events;
mod expected;
mod expiry;
mod extended;
mod external;
mod external_refused;
mod extra_power;
mod failed_nodes;
mod feeds;
mod feeds_at_work;
mod feeds_contract;
mod feeds_faults;
mod feeds_outage;
mod feeds_soak;
mod filters;
mod frozen;
mod full_disk;
mod grid;
mod histories;
mod hostile_service;
#[cfg(feature = "power")]
mod idle_energy;
mod kills;
mod known_curve;
mod ledger;
mod ledger_sources;
mod lowered_cap;
#[cfg(feature = "power")]
mod machines;
mod measurements;
mod meters;
mod metrics;
mod modified;
mod notifications;
mod occupancy;
mod one_user;
#[cfg(feature = "openadr")]
mod openadr;
mod opening;
mod other_sites;
mod out_folder;
mod outage_commands;
mod outages;
mod own_webhooks;
mod plain_count;
mod plan;
mod power;
#[cfg(feature = "power")]
mod power_commands;
#[cfg(feature = "power")]
mod power_controllers;
#[cfg(feature = "power")]
mod power_management;
mod power_plan;
mod predict;
mod process;
mod projects;
mod pushed_kills;
mod quota_adjustments;
mod quota_races;
mod quotas;
mod races;
mod recalibration;
mod reevaluation;
mod released;
mod repeats;
mod retention;
mod rights;
mod roles;
mod sacct;
mod sbatch;
mod sbatch_spellings;
mod sbatch_waiting;
mod scope;
mod series_given;
mod series_lives;
mod series_signed_in;
mod settings;
mod shapes;
mod shares;
mod shares_decide;
mod shares_told;
mod sharing;
mod sign_in;
mod sign_in_load;
mod sign_in_refused;
mod simulate;
mod simulation;
mod simulation_faults;
mod simulations;
#[cfg(feature = "power")]
mod slower_states;
mod state_cache;
mod stored;
#[cfg(feature = "supplier")]
mod supplier;
mod swapped;
mod takeover;
mod tokens;
mod unwritable;
mod walk_through;
mod web_page;
mod webhooks;
mod withheld;
