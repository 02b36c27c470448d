//! Elexon Insights: market index prices of Great Britain, and CO2 of its generation by fuel.
//!
//! No key. The market index is the price of short-term trades for each half-hour, known once the half-hour is over: it is no
//! day-ahead price. Generation is what is metered at the transmission grid: most solar and small wind farms are not in it.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
