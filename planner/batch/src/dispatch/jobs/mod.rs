//! Jobs of units, from tables, traces and accounting, as they are needed; and drawn.

mod accasim;
mod accounted;
mod dealt;
mod eurora;
mod eurora_span;
mod json_elements;
mod ordered;
mod sacct;
mod table;
mod trace;
mod units_cell;
mod write;

use planner::quantity::Energy;

use super::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;
use crate::workload::WorkloadError;

pub use accasim::RowsOfAccasim;
pub use accounted::{AccountedJob, AccountedPlaces};
pub use dealt::dealt;
pub use eurora::{EURORA_SYSTEM, eurora};
pub use eurora_span::EuroraSpan;
pub use ordered::{JobRows, JobsInOrder, JobsRead, RowsTold};
pub use sacct::{InstantReader, RowsOfSacct, RowsOfSacctJson};
pub use table::JobsOfTable;
pub use trace::RowsOfTrace;
pub use write::UnitJobWriter;

/// A rigid job of equal units, or of several kinds of them.
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
    /// How many units of the first kind it has.
    pub units: u32,
    /// What each of these asks for, and the units of other kinds beside them.
    pub unit: UnitRequest,
    /// What it consumed, where the workload says so.
    pub energy: Option<Energy>,
    /// Until when its user lets the site start it later than it could, to draw when that is cheaper.
    pub latest_start: Option<Time>,
}

impl UnitJob {
    /// How many units of all kinds it has.
    pub fn all_units(&self) -> u32 {
        self.unit.all_units(self.units)
    }

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
    /// What stands on a line is no job.
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
    /// A job that stands too late.
    #[error(
        "line {line}: the job was submitted before jobs that stand more than {} rows above: sort the rows by submission",
        ordered::WINDOW
    )]
    Disordered {
        /// The line of the job, from 1.
        line: u64,
    },
    /// A system that a trace of processors cannot be played on.
    #[error(
        "a trace counts processors, and the nodes have {0}: say which of them is a processor by the name cores or processors"
    )]
    NoProcessors(String),
}
