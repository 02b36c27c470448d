//! ENTSO-E Transparency Platform: day-ahead prices (A44) and CO2 intensity from generation (A75).
//!
//! Needs a token (register on the platform, then ask for access to the web interface). At most 400
//! requests a minute for each token, else ten minutes of refusals.

mod client;
mod curve;
mod factors;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
