//! `/api/v1/calibrations`

pub mod create;
pub mod decide;
pub mod findings;
pub mod list;

use planner::quantity::Power;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// What measuring a node found.
#[derive(Serialize, ToSchema)]
pub struct CalibrationDocument {
    /// The node's name.
    pub node: String,
    /// When it was calibrated.
    #[schema(value_type = String, format = DateTime)]
    pub measured_at: Timestamp,
    /// The median of the idle samples kept, watts.
    pub idle_power_w: f64,
    /// Standard deviation of the idle samples kept, watts.
    pub idle_spread_w: f64,
    /// How many idle samples were kept.
    pub idle_samples: u32,
    /// The largest of the samples kept under full load, watts.
    pub max_power_w: f64,
    /// Standard deviation of the samples kept under full load, watts.
    pub max_spread_w: f64,
    /// How many samples under full load were kept.
    pub max_samples: u32,
    /// How many samples were left out as outliers.
    pub outliers: u32,
    /// What it rests on: `samples` that were sent for it, or what `meters` measured all the time; then samples are
    /// quarter-hours.
    #[schema(example = "samples")]
    pub source: &'static str,
}

impl From<&storage::Calibration> for CalibrationDocument {
    fn from(calibration: &storage::Calibration) -> Self {
        let watts = Power::as_watts;
        Self {
            node: calibration.node_name.clone(),
            measured_at: calibration.measured,
            idle_power_w: watts(calibration.idle_power),
            idle_spread_w: watts(calibration.idle_spread),
            idle_samples: calibration.idle_samples,
            max_power_w: watts(calibration.max_power),
            max_spread_w: watts(calibration.max_spread),
            max_samples: calibration.max_samples,
            outliers: calibration.outliers,
            source: calibration.source.word(),
        }
    }
}
