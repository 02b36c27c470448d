//! Meters that are asked: each whenever it is due, by one process, and what it tells is given to the measurements.
//!
//! A task for each meter (`poll`), by a lease. How a meter stands is written after each poll, so that a restart or another
//! process goes on where this one ended. A meter with a history, such as Prometheus, is asked for what is missing since then.

#[cfg(feature = "meters")]
mod clients;
mod connect;
mod names;
mod pages;
mod poll;
#[cfg_attr(
    not(any(feature = "meters", feature = "slurm")),
    expect(dead_code, reason = "nothing can be asked")
)]
mod port;
#[cfg(feature = "slurm")]
mod slurm;
mod status;

use std::sync::Arc;

use super::measurements::MeasurementService;
use super::shared::Shared;

pub use status::MeterStatus;

/// Asks meters.
pub struct MeterService {
    shared: Arc<Shared>,
    measurements: Arc<MeasurementService>,
}

/// The lease of a meter.
pub fn meter_lease(id: &str) -> String {
    format!("meter:{id}")
}

impl MeterService {
    /// Meters of the settings, whose samples are kept by `measurements`.
    pub fn new(shared: Arc<Shared>, measurements: Arc<MeasurementService>) -> Self {
        Self { shared, measurements }
    }
}
