//! ODRE eco2mix: the CO2 intensity of French production, as RTE measures it.
//!
//! No key needed; one raises the limits. Direct emissions of production in France, whole g/kWh, no
//! forecast. `eco2mix-national-tr` has the last months in quarter-hours;
//! `eco2mix-national-cons-def` has consolidated, then definitive half-hours since 2012.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Dataset, Settings};
