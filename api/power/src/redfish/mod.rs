//! Redfish (DMTF DSP0266): systems are switched by `ComputerSystem.Reset`, and limited by `EnvironmentMetrics`, by `Controls`
//! or by `Power`, which Redfish has deprecated in 2020.
//!
//! A controller of one system needs no settings beside its address. Where it has several, or several resources with a power
//! limit, the site says which is meant: nothing is guessed.

mod client;
mod limit;
mod resource;
mod system;

#[cfg(feature = "fuzzing")]
pub(crate) use limit::read_resource as read_limit;
#[cfg(feature = "fuzzing")]
pub(crate) use system::power;

pub use client::{Redfish, RedfishSettings};
