//! Open Electricity: prices of a region of Australia's National Electricity Market (NEM), and CO2 of its generation by
//! technology.
//!
//! Needs a key. The price is that of the dispatch of each five minutes: the market has no day-ahead auction, and nothing is
//! known ahead. Times are those at which an interval ends, in the market's time, which is UTC+10 all year.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
