//! `WattTime`, version 3: marginal CO2 intensity (MOER), or average (AOER).
//!
//! Needs an account; the free plan has one region. Direct emissions in five-minute steps. A change
//! of the model re-bases its history: its date is noted with each revision.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings};
