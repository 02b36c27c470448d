//! Jobs of units, from tables and traces, as they are needed; and drawn.

mod eurora;
mod table;
mod trace;
mod write;

use planner::quantity::Energy;

use super::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;
use crate::workload::WorkloadError;

pub use eurora::{EURORA_JOBS, EURORA_SYSTEM, eurora};
pub use table::JobsOfTable;
pub use trace::JobsOfTrace;
pub use write::UnitJobWriter;

/// A rigid job of equal units.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitJob {
    /// What the workload calls it.
    pub id: JobId,
    /// The instant of its submission.
    pub submitted: Time,
    /// How long it would run, if nobody killed it. Orders and backfilling do not see it unless estimates are real.
    pub run: Time,
    /// After how long it is killed.
    pub walltime: Option<Time>,
    /// Who submitted it.
    pub user: Box<str>,
    /// The queue that it was submitted to.
    pub queue: Box<str>,
    /// What its user calls it.
    pub name: Box<str>,
    /// How many units it has.
    pub units: u32,
    /// What each unit asks for.
    pub unit: UnitRequest,
    /// What it consumed, where the workload says so.
    pub energy: Option<Energy>,
}

impl UnitJob {
    /// How long it runs: until its walltime at most.
    pub fn occupied(&self) -> Time {
        self.walltime.map_or(self.run, |walltime| self.run.min(walltime))
    }

    /// Whether its walltime ends it, as a delay of exactly its walltime in the core.
    pub fn reaches_walltime(&self) -> bool {
        self.walltime.is_some_and(|walltime| self.run >= walltime)
    }
}

/// Why jobs of units cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnitJobError {
    /// The table is none.
    #[error("line {line}: {what}")]
    Table {
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// The trace is none.
    #[error(transparent)]
    Trace(#[from] WorkloadError),
    /// A system that a trace of processors cannot be played on.
    #[error(
        "a trace counts processors, and the nodes have {0}: say which of them is a processor by the name cores or processors"
    )]
    NoProcessors(String),
}
