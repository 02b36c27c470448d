//! Meters that are asked: Prometheus, Redfish and IPMI in, samples out. What a sample is worth is judged by `planner::metering`.
//!
//! ```text
//! answer      what a meter said, series by series, and what of it could not be used
//! access      what the asker shows
//! name        what a series is of, by its labels
//! address     where the management controllers of nodes are
//! ipmi        the power that management controllers tell by DCMI
//! prometheus  range queries, and the metrics of usual exporters
//! redfish     what management controllers tell
//! ```

pub mod access;
pub mod address;
pub mod answer;
pub mod ipmi;
pub mod name;
pub mod prometheus;
pub mod redfish;
