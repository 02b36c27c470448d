//! aWATTar: hourly day-ahead prices of Germany and Austria.
//!
//! No key. Still hourly where the market has quarter-hours.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Country, Settings};
