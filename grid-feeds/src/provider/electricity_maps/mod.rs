//! Electricity Maps, versions 3 and 4: average CO2 intensity of consumption, imports traced.
//!
//! Needs a token. Some plans have no forecast and no past beyond a day; trial tokens answer with scrambled
//! data, which is refused.

mod client;
mod granularity;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, InterfaceVersion, Settings};
pub use granularity::Granularity;
pub use map::IntensityQuery;
