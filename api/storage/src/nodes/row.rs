//! Rows of nodes and measurements, and their way into the domain.

use planner::decimal::Fraction;
use planner::node::Node;
use planner::quantity::Power;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::nodes::{Calibration, CalibrationSource};
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct NodeRow {
    pub rank: i64,
    pub name: String,
    pub idle_power_uw: i64,
    pub max_power_uw: i64,
    pub alpha: Option<f64>,
}

#[derive(FromRow)]
pub(crate) struct CalibrationRow {
    node_name: String,
    measured_s: i64,
    idle_power_uw: i64,
    max_power_uw: i64,
    idle_spread_uw: i64,
    max_spread_uw: i64,
    idle_samples: i64,
    max_samples: i64,
    outliers: i64,
    source: String,
}

impl NodeRow {
    /// The node at `ordinal` without its name.
    pub(crate) fn node(&self, ordinal: usize) -> Result<Node, StorageError> {
        let place = RowPlace { table: "nodes", row: ordinal };
        let not_a_fraction = || place.wrong("alpha", "it is not a fraction");
        let alpha =
            self.alpha.map(|alpha| Fraction::new(alpha).ok_or_else(not_a_fraction)).transpose()?;
        let power = Power::from_microwatts;
        Node::new(power(self.idle_power_uw), power(self.max_power_uw), alpha)
            .map_err(|_| place.wrong("max_power_uw", "the powers do not make a node"))
    }
}

impl TryFrom<CalibrationRow> for Calibration {
    type Error = StorageError;
    fn try_from(row: CalibrationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "calibrations", row: &row.node_name };
        Ok(Self {
            measured: Timestamp::from_unix_seconds(row.measured_s),
            idle_power: Power::from_microwatts(row.idle_power_uw),
            max_power: Power::from_microwatts(row.max_power_uw),
            idle_spread: Power::from_microwatts(row.idle_spread_uw),
            max_spread: Power::from_microwatts(row.max_spread_uw),
            idle_samples: place.count("idle_samples", row.idle_samples)?,
            max_samples: place.count("max_samples", row.max_samples)?,
            outliers: place.count("outliers", row.outliers)?,
            source: place.word("source", &row.source, CalibrationSource::from_word)?,
            node_name: row.node_name,
        })
    }
}
