//! The kernel: discrete events over integer time.
//!
//! At one instant jobs end first, in the order of their starts; then machines have been switched, in
//! the order of the orders; then jobs are submitted, in the order of the workload; then the scheduler
//! is woken if it asked for it. Under [`Tie::Batch`] it is told all of it at once and decides once; jobs
//! start at the end of the instant, then machines begin to be switched. The kernel holds the jobs that
//! wait or run, and nothing of the others: memory does not grow with the workload. An event costs the
//! logarithm of the running jobs. The simulation ends with the last job.

mod cluster;
mod communications;
pub mod external;
mod machines;
mod observer;
mod play;
mod replay;
mod stepped;
mod submissions;

use std::io;

use network::replay::TraceReplayError;
use planner::node_set::NodeSet;
use planner::quantity::Energy;

use crate::communication::MachineNetwork;
use crate::energy::Consumption;
use crate::job::{Job, JobId};
use crate::message_log::MessageLogError;
use crate::platform::Platform;
use crate::scheduler::Tie;
use crate::supplier_tables::SupplierTables;
use crate::time::Time;

pub use machines::Entered;
pub use observer::{LinkUse, Observer};
pub use play::simulate;
pub use replay::replay;
pub use stepped::SteppedCluster;

/// What a simulation is played on.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// Its machines.
    pub platform: &'a Platform,
    /// How events of one instant are told.
    pub tie: Tie,
    /// How long it takes to launch a job before it works: its machines are occupied.
    pub launch: Time,
    /// Whether it is kept which machines a job has; otherwise only how many, and none can be switched.
    pub places: bool,
    /// Whether machines compute that a job only occupies.
    pub delays_compute: bool,
    /// What energy costs and emits, where that is known.
    pub tables: Option<&'a SupplierTables>,
    /// What jobs communicate over, where that takes time.
    pub network: Option<&'a MachineNetwork>,
}

/// A job that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// The job.
    pub job: &'a Job,
    /// The instant at which it started.
    pub started: Time,
    /// The instant at which it ended.
    pub finished: Time,
    /// The machines it ran on; empty where it is not kept which they are.
    pub machines: &'a NodeSet,
    /// The way in which it ended.
    pub end: JobEnd,
    /// What its scheduler noted about it.
    pub metadata: &'a str,
    /// What its machines consumed, where it is known what they draw.
    pub energy: Option<Energy>,
}

/// How a job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// The job ended by itself.
    Success,
    /// The job ended by itself, and says that it failed.
    Failure,
    /// The job reached its walltime.
    Walltime,
    /// Its scheduler killed the job.
    Killed,
}

impl JobEnd {
    const ALL: [Self; 4] = [Self::Success, Self::Failure, Self::Walltime, Self::Killed];

    /// The state of the job afterwards, as Batsim calls it.
    pub const fn state(self) -> &'static str {
        match self {
            Self::Success => "COMPLETED_SUCCESSFULLY",
            Self::Failure => "COMPLETED_FAILED",
            Self::Walltime => "COMPLETED_WALLTIME_REACHED",
            Self::Killed => "COMPLETED_KILLED",
        }
    }

    /// The end after which a job is in this state.
    pub fn of_state(state: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.state() == state)
    }
}

/// Machines that enter a state.
#[derive(Clone, Copy, Debug)]
pub struct Entering<'a> {
    /// The instant.
    pub now: Time,
    /// The machines.
    pub machines: &'a NodeSet,
    /// The state that they enter.
    pub state: Entered,
}

/// What became of all machines until the last job ended.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// The energy and the time of all machines, by what they did.
    pub consumption: Consumption,
    /// Orders to switch machines off or on.
    pub orders: u64,
    /// Machines switched off or on, each time counted.
    pub switches: u64,
}

/// Why a simulation ended early.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError<E> {
    /// The workload cannot be read.
    #[error(transparent)]
    Workload(E),
    /// The messages to be replayed cannot be read or contradict the simulation.
    #[error(transparent)]
    MessageLog(#[from] MessageLogError),
    /// An output failed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// The scheduler decided what cannot be.
    #[error("at {now} s the scheduler {what} job {job}")]
    Decision {
        /// The instant.
        now: Time,
        /// What the scheduler did, as a part of a sentence.
        what: &'static str,
        /// The job that it decided on.
        job: JobId,
    },
    /// The scheduler ordered what cannot be.
    #[error("at {now} s the scheduler {what} {:?}", .machines.ranges())]
    PowerOrder {
        /// The instant.
        now: Time,
        /// What the scheduler did, as a part of a sentence.
        what: &'static str,
        /// The machines that it ordered.
        machines: NodeSet,
    },
    /// A scheduler outside said what cannot be.
    #[error(transparent)]
    External(#[from] external::ExternalError),
    /// Machines of a job that communicates have no route between them, or all of its ranks wait.
    #[error("at {now} s job {job} communicates, and {error}")]
    Route {
        /// The instant.
        now: Time,
        /// The job, or one of those that run.
        job: JobId,
        /// Which machines they are, or which rank.
        error: TraceReplayError,
    },
    /// Nothing is left to happen, and jobs wait.
    #[error("at {now} s {waiting} jobs wait, nothing runs, and the scheduler starts none")]
    Stuck {
        /// The instant at which everything stands still.
        now: Time,
        /// The number of jobs that wait.
        waiting: usize,
    },
    /// The scheduler is asked again and again, and jobs wait.
    #[error(
        "at {now} s {waiting} jobs wait, nothing runs, and the scheduler started none when it was asked \
         {times} times since {since} s: {}",
        hint(*.until)
    )]
    Endless {
        /// The instant at which it was asked last.
        now: Time,
        /// The number of jobs that wait.
        waiting: usize,
        /// How often the scheduler was asked.
        times: u32,
        /// The instant from which on only the scheduler was asked.
        since: Time,
        /// When what bounds it changes next, where it knows of that.
        until: Option<Time>,
    },
}

/// What may help where a scheduler is asked for ever.
fn hint(until: Option<Time>) -> String {
    match until {
        Some(until) => format!(
            "what bounds it changes only at {until} s; a longer period_s or an earlier end lets it get there"
        ),
        None => {
            "it may switch off what they need, or never have the power to switch it on".to_owned()
        }
    }
}
