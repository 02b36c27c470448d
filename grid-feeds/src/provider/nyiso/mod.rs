//! NYISO (New York): day-ahead prices of a zone, one public file for each day.
//!
//! No key. Files are there for about nine days; what is older is in archives, which are not read.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
