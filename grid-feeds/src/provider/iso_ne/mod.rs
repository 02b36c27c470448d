//! ISO New England's web services: day-ahead prices of a location, such as the internal hub, 4000.
//!
//! An account, which is free. A request for each day of New England's clock, out at about 13:00 of the day
//! before. What would be a list is an object where it has a single member, and empty text where it has none.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
