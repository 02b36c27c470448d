//! PJM's Data Miner 2: day-ahead prices of a pricing node, such as the western hub, 51288.
//!
//! A key, which is free; who is no member may ask six times a minute. Days of the clock of Philadelphia,
//! out at about 13:30 of the day before. Rows of more than two years ago cannot be asked for by their node.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
