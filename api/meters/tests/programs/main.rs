//! Real programs that measure, run by `.ci/meters`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ipmi;
mod prometheus;
