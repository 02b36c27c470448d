//! MISO's market reports: day-ahead ex-post prices of a node of the Midwest, such as a hub.
//!
//! No key. A file for each day of Eastern Standard Time, all year without summer time, so that each has
//! 24 hours; 404 until it is there, at about 13:15 of the day before. The ex-ante prices, which have
//! another file, are not those that are settled.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
