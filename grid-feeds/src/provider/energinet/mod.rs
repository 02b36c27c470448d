//! Energinet's Energi Data Service: day-ahead prices of the Danish zones and their neighbours, CO2 of
//! what is consumed in Denmark.
//!
//! No key. Prices were in one data set, by the hour, and are in another since quarter-hours are
//! traded. CO2 is in two: what was measured, and what is expected for at least nine hours.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
