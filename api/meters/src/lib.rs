//! Meters that are asked: Prometheus, Redfish and IPMI in, samples out. What a sample is worth is judged by `planner::metering`.
//!
//! ```text
//! answer      what a meter said, series by series, and what of it could not be used
//! name        what a series is of, by its labels
//! ipmi        the power that management controllers tell by DCMI
//! prometheus  range queries, and the metrics of usual exporters
//! redfish     what management controllers tell
//! ```
//!
//! Where management controllers are and who asks them is the crate `bmc`'s.

pub mod answer;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod ipmi;
pub mod name;
pub mod prometheus;
pub mod redfish;

pub use bmc::{access, address};
