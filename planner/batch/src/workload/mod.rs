//! Workloads: jobs in the order of their submission. Traces are read as they are needed.

mod describe;
mod generate;
mod json;
mod lines;
mod normalise;
mod write;

pub use describe::{Description, Spread, describe};
pub use generate::{LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, light_esp, simbatch, weibull};
pub(crate) use json::Profiles;
pub use json::{JsonWorkload, JsonWorkloadError, read_json};
pub use normalise::{Cleaning, Jobs, Reading, WorkloadError};
pub use write::{JsonWriter, SwfWriter};
