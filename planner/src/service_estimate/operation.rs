//! What is to be estimated.

use super::amounts::EstimateRates;
use super::calibration::ServiceCalibration;

/// The most nodes of a job that is estimated.
pub const MAX_NODES: u32 = 10_000_000;

/// An operation with all that its estimate rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationRequest {
    /// The powers and speeds of a node.
    pub calibration: ServiceCalibration,
    /// The job's processes.
    pub processes: Processes,
    /// What is to be estimated.
    pub operation: Operation,
    /// What electricity costs and emits.
    pub rates: EstimateRates,
}

/// The processes of a job, as many on each node. Neighbours by rank are on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processes {
    /// Nodes, from 1 to [`MAX_NODES`].
    pub nodes: u32,
    /// Processes of each node, from 1 to its cores.
    pub per_node: u32,
}

/// An operation of a parallel program.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Work that is saved now and then, so that failures lose a part of it only.
    Checkpoint(CheckpointRequest),
    /// One failure: the job goes on from its last checkpoint.
    Restart(RestartRequest),
    /// One process sends the same bytes to all others.
    Broadcast {
        /// Bytes that each process receives; at least 1.
        bytes: u64,
        /// Bytes of a segment of the pipelined versions; the number of segments that takes the least time where `None`.
        segment_bytes: Option<u64>,
    },
    /// One process sends each other process bytes of its own.
    Scatter {
        /// Bytes of each process; at least 1.
        bytes_per_process: u64,
    },
    /// One process receives from each other process bytes of its own.
    Gather {
        /// Bytes of each process; at least 1.
        bytes_per_process: u64,
    },
    /// Each process receives the bytes of all others.
    AllGather {
        /// Bytes that each process contributes; at least 1.
        bytes_per_process: u64,
    },
}

/// Work with checkpoints and failures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckpointRequest {
    /// Bytes of a process's state; at least 1.
    pub bytes_per_process: u64,
    /// Seconds that the work takes without failures and checkpoints; above 0.
    pub work_s: f64,
    /// The mean time between failures of one node, seconds; above 0.
    pub node_mtbf_s: f64,
    /// Seconds from the end of one checkpoint to the start of the next; what is best by each measure where `None`.
    pub interval_s: Option<f64>,
    /// Seconds until a node that failed is back or replaced.
    pub downtime_s: f64,
    /// Seconds between the first and the last process that reaches a coordinated checkpoint.
    pub skew_s: f64,
    /// Bytes that a process sends to other nodes in a second of computing; versions that log messages need it.
    pub message_bytes_per_s: Option<f64>,
}

/// A failure of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestartRequest {
    /// Bytes of a process's state; at least 1.
    pub bytes_per_process: u64,
    /// Seconds of computing since the last checkpoint, which are lost.
    pub lost_s: f64,
    /// Seconds until the node that failed is back or replaced.
    pub downtime_s: f64,
    /// Bytes that a process sends to other nodes in a second of computing; versions that log messages need it.
    pub message_bytes_per_s: Option<f64>,
}

impl Operation {
    /// The operation's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Checkpoint(_) => "checkpoint",
            Self::Restart(_) => "restart",
            Self::Broadcast { .. } => "broadcast",
            Self::Scatter { .. } => "scatter",
            Self::Gather { .. } => "gather",
            Self::AllGather { .. } => "all-gather",
        }
    }
}

impl Processes {
    /// All processes of the job.
    pub fn count(self) -> u64 {
        u64::from(self.nodes) * u64::from(self.per_node)
    }
}

/// The rounds in which a tree reaches `count` members: the logarithm to base 2, rounded up.
pub(super) fn rounds(count: u64) -> f64 {
    f64::from(u64::BITS - count.saturating_sub(1).leading_zeros())
}
