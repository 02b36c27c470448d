//! Calibration: measured idle and maximum power become a new epoch of the nodes.

use std::sync::Arc;

use planner::calibration::{NodeCalibration, PowerSample, calibrate};
use planner::node::{Node, Nodes};
use storage::{Calibration, CalibrationSource, EpochId};

use super::{ClusterError, ClusterService};
use crate::service::shared::blocking;

/// How often measurements are applied anew when others replace the nodes meanwhile.
const TRIES: usize = 8;

/// What a calibration led to.
#[derive(Debug)]
pub struct Calibrated {
    /// The new epoch.
    pub epoch: EpochId,
    /// Each node measured.
    pub nodes: Vec<Calibration>,
}

impl ClusterService {
    /// Calibrates the nodes that were measured; the others keep their powers.
    ///
    /// # Errors
    /// `Invalid` for unknown nodes, missing loads, or an `alpha` that no longer fits.
    pub async fn calibrate(&self, samples: Vec<PowerSample>) -> Result<Calibrated, ClusterError> {
        if samples.is_empty() {
            return Err(ClusterError::Invalid(vec!["there are no samples".to_owned()]));
        }
        let calibrations = blocking(move || calibrate(&samples)).await?.map_err(|errors| {
            ClusterError::Invalid(errors.iter().map(ToString::to_string).collect())
        })?;
        let measured: Vec<Calibration> = calibrations.iter().map(measured).collect();
        let calibrations = Arc::new(calibrations);
        for _ in 0..TRIES {
            let state = self.shared.state().await?;
            let (epoch, nodes) = (state.epoch(), Arc::clone(&state.cluster.nodes));
            let calibrations = Arc::clone(&calibrations);
            let nodes = blocking(move || recalibrated(&nodes, &calibrations))
                .await?
                .map_err(ClusterError::Invalid)?;
            match self.replace_nodes(nodes, &measured, epoch).await {
                // Others replaced the nodes meanwhile: apply what was measured to theirs.
                Err(ClusterError::NodesReplaced) => {}
                replaced => return Ok(Calibrated { epoch: replaced?, nodes: measured }),
            }
        }
        Err(ClusterError::NodesReplaced)
    }

    /// The newest calibrations.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn calibrations(
        &self,
        node: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Calibration>, ClusterError> {
        Ok(self.shared.database.calibrations(node, limit).await?)
    }
}

fn recalibrated(nodes: &Nodes, calibrations: &[NodeCalibration]) -> Result<Nodes, Vec<String>> {
    let index = nodes.index();
    let mut changed = nodes.as_slice().to_vec();
    let mut errors = Vec::new();
    for calibration in calibrations {
        let name = &calibration.node;
        let Some(ordinal) = index.ordinal(name) else {
            errors.push(format!("no node is named {name:?}"));
            continue;
        };
        let node = &mut changed[ordinal as usize];
        match Node::new(calibration.idle.power, calibration.max.power, node.alpha()) {
            Ok(measured) => *node = measured,
            Err(error) => errors.push(format!("node {name:?}: {error}")),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    nodes.with_powers(changed).map_err(|error| vec![error.to_string()])
}

/// What is kept of a calibration; its date is that of the last sample kept.
fn measured(calibration: &NodeCalibration) -> Calibration {
    let NodeCalibration { node, idle, max } = calibration;
    let count = |samples: usize| u32::try_from(samples).unwrap_or(u32::MAX);
    Calibration {
        node_name: node.to_string(),
        measured: idle.last.max(max.last),
        idle_power: idle.power,
        max_power: max.power,
        idle_spread: idle.spread,
        max_spread: max.spread,
        idle_samples: count(idle.samples),
        max_samples: count(max.samples),
        outliers: count(idle.outliers + max.outliers),
        source: CalibrationSource::Samples,
    }
}
