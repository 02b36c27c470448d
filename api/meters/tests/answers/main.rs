//! What is made of the answers of meters, good and bad, by a server of ours.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../curve/mod.rs"]
mod curve;
mod prometheus;
mod redfish;
mod redfish_curve;
mod server;
