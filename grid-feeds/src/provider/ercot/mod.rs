//! ERCOT's public interface: day-ahead settlement point prices of Texas, such as those of the hub `HB_NORTH`.
//!
//! An account and a subscription's key, which are free; about 30 requests a minute. Hours are named by their
//! ends on the clock of Texas, `01:00` to `24:00`; the one that comes twice in autumn has a flag the second
//! time. Out at about 12:30 of the day before.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
