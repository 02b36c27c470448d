//! Electricity Maps, version 3: average CO2 intensity of consumption, imports traced.
//!
//! Needs a token. The free plan has one zone and no forecast; trial tokens answer with scrambled
//! data, which is refused.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings};
