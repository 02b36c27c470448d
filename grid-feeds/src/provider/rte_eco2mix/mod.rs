//! RTE's own eco2mix: the CO2 intensity of French production in the curves behind RTE's page.
//!
//! No key. Direct emissions of production in France, whole g/kWh, no forecast, XML. Times are numbers of
//! quarter-hours of a day in Paris, without a mark of the change of the clock.

mod client;
pub mod map;
mod periods;
pub mod wire;

pub use client::{Client, Settings};
