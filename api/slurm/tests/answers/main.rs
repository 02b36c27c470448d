//! The client beside a server that answers as it is told: with what real Slurms answered (`fixtures`, by
//! version, shortened), or with what goes wrong on the way.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod reading;
mod server;
mod writing;
