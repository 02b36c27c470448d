//! SMARD, the market data of the Bundesnetzagentur: day-ahead prices of Germany and its neighbours, CO2
//! of what is generated in Germany.
//!
//! No key. Data are in files, one for each week of each series; what is not known yet is `null` there.

mod client;
mod filter;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
