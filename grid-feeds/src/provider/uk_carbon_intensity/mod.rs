//! UK Carbon Intensity (NESO): Great Britain or one of its regions.
//!
//! No key. Direct emissions in half-hours; the forecast reaches at most 48 h, often less, and is
//! overwritten rather than versioned.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings};
