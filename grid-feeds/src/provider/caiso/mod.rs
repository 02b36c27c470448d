//! California ISO's OASIS: day-ahead prices of a node or hub, such as `TH_NP15_GEN-APND`.
//!
//! No key; one request in five seconds. Days of the clock of Los Angeles, out at about 13:00 of the day before, in an archive of
//! one file. A refusal is an XML document in such an archive. What is older than about three years is not kept.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
