//! Real programs that measure, run by `.ci/meters`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../curve/mod.rs"]
mod curve;
mod ipmi;
mod ipmi_curve;
mod prometheus;
mod simulator;
