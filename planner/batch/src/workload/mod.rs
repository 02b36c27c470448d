//! Workloads: jobs in the order of their submission. Traces are read as they are needed.

mod describe;
mod generate;
mod json;
mod lines;
mod normalise;
mod source;
mod write;

pub use describe::{Description, Spread, describe};
pub(crate) use generate::streams;
pub use generate::{LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, light_esp, simbatch, weibull};
pub use json::{FilesBeside, JsonWorkloadError};
pub(crate) use json::{Profiles, no_files};
pub(crate) use normalise::job_of_record;
pub use normalise::{Cleaning, WorkloadError, WorkloadReading};
pub use source::{JobsInMemory, Workload, WorkloadSourceError, machines_said};
pub use write::{JobsDo, JsonWriter, SwfWriter};
