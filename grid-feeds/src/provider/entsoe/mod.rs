//! ENTSO-E Transparency Platform: day-ahead prices (A44), CO2 intensity from generation (A75), and powers: loads,
//! forecasts of load and generation, and flows (A65, A69, A71, A11, A09).
//!
//! Needs a token (register on the platform, then ask for access to the web interface). At most 400
//! requests a minute for each token, else ten minutes of refusals.

mod ahead;
mod client;
mod curve;
mod fuel;
pub mod map;
pub mod powers;
#[cfg(test)]
mod tests;
pub mod wire;

pub use ahead::AheadSettings;
pub use client::{Client, Settings};
