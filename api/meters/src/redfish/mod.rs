//! Redfish (DMTF DSP0266): what management controllers tell of power and energy.
//!
//! The resource is looked for once for each controller: `EnvironmentMetrics` of the system or of its chassis, and else
//! `Power` of the chassis, which Redfish has deprecated in 2020 and most controllers still have.

mod client;
mod document;
mod search;

#[cfg(feature = "fuzzing")]
pub(crate) use document::milli;

pub use client::{Redfish, RedfishSettings};
pub use document::RedfishValue;
