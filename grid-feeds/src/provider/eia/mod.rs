//! EIA (U.S. Energy Information Administration): the hourly generation of a balancing authority by
//! fuel, form EIA-930, from which CO2 follows.
//!
//! A key. 5000 rows on a page. Hours are named by their end, in UTC. Values are preliminary and may
//! be revised for months.

mod client;
mod fuel;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
