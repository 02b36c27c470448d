//! The records of Japan's grid companies: what each half-hour of an area was made of, as all write it since 2024.
//!
//! No key. Each company has a file for each month at a place of its own. Most add each half-hour within hours; Hokkaido's comes a
//! week later. The CO2 intensity is reckoned by the factor table; imports are not traced.

mod area;
mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use area::RecordArea;
pub use client::{Client, Settings};
