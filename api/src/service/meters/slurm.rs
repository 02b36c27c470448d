//! Slurm as a meter: the power and the energy of nodes that its energy plugin measures.

use std::sync::Arc;

use grid_feeds::feed::FeedError;
use planner::metering::{Sample, SampleTime, ValueKind};
use planner::resource_manager::ManagerError;
use slurm::{NodeEnergy, Slurm};

use super::port::{Answer, PolledMeter, Question, Told};

/// What Slurm is asked for: the power of nodes, or their energy since they booted.
pub(super) struct SlurmEnergy {
    slurm: Arc<Slurm>,
    values: ValueKind,
}

impl SlurmEnergy {
    /// A meter of this Slurm.
    pub fn new(slurm: Arc<Slurm>, values: ValueKind) -> Self {
        Self { slurm, values }
    }

    fn sample(&self, node: &NodeEnergy) -> Option<Sample> {
        let value = match self.values {
            ValueKind::Gauge => node.current_w,
            ValueKind::Counter | ValueKind::Difference => node.consumed_j,
        };
        let at = SampleTime::of(node.collected?);
        Some(Sample { at, value_milli: value?.checked_mul(1000)? })
    }
}

impl PolledMeter for SlurmEnergy {
    fn ask<'a>(&'a self, _: Question<'a>) -> Answer<'a> {
        Box::pin(async move {
            let nodes = self.slurm.node_energy().await.map_err(failure)?;
            let mut told = Told::default();
            for node in &nodes {
                if let Some(sample) = self.sample(node) {
                    told.series.push((node.name.clone(), vec![sample]));
                }
            }
            let silent = nodes.len() - told.series.len();
            if silent > 0 {
                told.notes.insert(format!(
                    "Slurm has no {} of {silent} nodes: AcctGatherEnergyType is not set for them, or \
                     AcctGatherNodeFreq is 0",
                    match self.values {
                        ValueKind::Gauge => "power",
                        _ => "energy",
                    }
                ));
            }
            Ok(told)
        })
    }
}

/// What a meter that cannot be asked is told as.
fn failure(error: ManagerError) -> FeedError {
    match error {
        ManagerError::Unsupported(message) => FeedError::Configuration { message },
        ManagerError::Denied(message) => FeedError::Refused { status: 401, message },
        error => FeedError::Transient { message: error.to_string() },
    }
}
