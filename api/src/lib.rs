//! Wattbook: books supercomputer nodes when power is clean and cheap.
//!
//! - [`cli`]: the command line of the one binary.
//! - [`http`]: the REST service, one file for each endpoint.
//! - [`service`]: use cases, a service for each noun. Each reads what it needs, calls a pure planner
//!   function, writes.
//! - [`tasks`]: what is done in the background; [`leases`]: by which of several processes.
//! - [`simulation`]: experiments being played, for the command line and the service.
//! - [`recorder`]: what is measured; [`traces`]: what requests take their time for.
//! - [`config`]: settings from file, environment and command line.

pub mod cli;
pub mod clock;
pub mod config;
pub mod http;
pub mod leases;
pub mod recorder;
pub mod service;
pub mod simulation;
pub mod start_prediction;
pub mod tasks;
pub mod traces;
