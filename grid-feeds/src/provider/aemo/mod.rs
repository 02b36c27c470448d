//! Australia's market, by its operator's pre-dispatch: what the price of each half-hour will be by the bids so far, for the rest of
//! the trading day and, from about 12:30 of the market's time, the whole next one.
//!
//! No key. A new file every half-hour, in an archive; the newest is found in the listing of their folder. All values are
//! forecasts. Half-hours are named by their ends, in the market's time: UTC+10 all year.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
