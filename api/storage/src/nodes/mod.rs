//! Nodes as stored, and what measuring them found.

pub(crate) mod packed;
mod remap;
pub(crate) mod repository;
mod row;
pub mod sql;

use planner::node::Nodes;
use planner::order::NodeOrder;
use planner::quantity::Power;
use planner::time::Timestamp;

use crate::identity::EpochId;
use crate::words::worded;

/// The nodes of the newest calibration epoch.
#[derive(Clone, Debug)]
pub struct StoredNodes {
    /// The calibration epoch.
    pub epoch: EpochId,
    /// When it was made.
    pub created: Timestamp,
    /// In input order.
    pub nodes: Nodes,
    /// Their draw order, whose ranks allocations count in.
    pub order: NodeOrder,
}

/// What measuring one node found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// The node.
    pub node_name: String,
    /// The instant of the measurement.
    pub measured: Timestamp,
    /// Power at rest.
    pub idle_power: Power,
    /// Power under full load.
    pub max_power: Power,
    /// Spread of the samples at rest.
    pub idle_spread: Power,
    /// Spread of the samples under full load.
    pub max_spread: Power,
    /// How many samples at rest.
    pub idle_samples: u32,
    /// How many samples under full load.
    pub max_samples: u32,
    /// How many samples were left out.
    pub outliers: u32,
    /// What it rests on.
    pub source: CalibrationSource,
}

worded! {
    /// What a calibration rests on.
    CalibrationSource {
        /// Samples that were sent for it.
        Samples = "samples",
        /// What meters measured all the time; its samples are quarter-hours.
        Meters = "meters",
    }
}
