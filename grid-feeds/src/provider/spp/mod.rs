//! Southwest Power Pool's portal: day-ahead prices of a settlement location, such as `SPPNORTH_HUB`.
//!
//! No key. A file for each day of the clock of Arkansas, out at about 13:00 of the day before; 404 until then,
//! and again once the day has gone into the file of its year. Hours are named by their ends in UTC.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
