//! Japan Electric Power Exchange: spot prices of the half-hours of a day ahead, of an area or of the whole market.
//!
//! No key, but the page of the market must be named as the one that asks. A file for each fiscal year, from April to March; each
//! day's prices come in at about 10:00 of the day before. Yen per kWh, read as yen per MWh. Okinawa is not in the market.

mod area;
mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use area::SpotArea;
pub use client::{Client, Settings};
