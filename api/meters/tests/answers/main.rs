//! What is made of the answers of meters, good and bad, by a server of ours.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod prometheus;
mod redfish;
mod server;
