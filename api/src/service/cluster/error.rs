//! Why nodes, calibrations and outages are not taken.

use planner::identity::OutageId;
use planner::time::Timestamp;
use storage::{ChangeOutageError, StorageError};

use crate::service::shared::Fault;

/// Why nodes, a calibration or an outage are not taken.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The input contradicts what is stored.
    #[error("the input is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// There is no such outage.
    #[error("there is no outage {0}")]
    NoOutage(OutageId),
    /// The resource manager tells of the outage.
    #[error(
        "outage {0} is told of by the resource manager; change or end it there, in Slurm with `scontrol update \
         NodeName=... State=RESUME` for a node that may be taken again, and it is so here within a minute"
    )]
    ManagedOutage(OutageId),
    /// The outage has ended.
    #[error("outage {id} ended at {end}: take the nodes out of service by a new one")]
    OutageOver {
        /// The outage.
        id: OutageId,
        /// When it ended.
        end: Timestamp,
    },
    /// The outage has begun, so that its start stays.
    #[error(
        "outage {id} began at {start}, and its start stays; its nodes, end and reason may be changed"
    )]
    OutageBegun {
        /// The outage.
        id: OutageId,
        /// When it began.
        start: Timestamp,
    },
    /// Nodes to be removed have reservations to come.
    #[error(
        "nodes {} are booked by reservations to come ({}); cancel these first, or keep the nodes",
        names.join(", "),
        reservations.join(", ")
    )]
    NodesInUse {
        /// The nodes.
        names: Vec<String>,
        /// The reservations.
        reservations: Vec<String>,
    },
    /// Others replaced the nodes at each try.
    #[error("others changed the book while this was planned; try again")]
    NodesReplaced,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl ClusterError {
    /// Why an outage was not changed.
    pub(super) fn of_change(id: OutageId, error: ChangeOutageError) -> Self {
        match error {
            ChangeOutageError::NotFound => Self::NoOutage(id),
            ChangeOutageError::Managed => Self::ManagedOutage(id),
            ChangeOutageError::Ended { end } => Self::OutageOver { id, end },
            ChangeOutageError::Begun { start } => Self::OutageBegun { id, start },
            ChangeOutageError::EndsBeforeStart { .. } | ChangeOutageError::Over => {
                Self::Invalid(vec![error.to_string()])
            }
            ChangeOutageError::Storage(error) => error.into(),
        }
    }
}

impl From<StorageError> for ClusterError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::EpochChanged => Self::NodesReplaced,
            StorageError::NodesInUse { names, reservations } => Self::NodesInUse {
                names,
                reservations: reservations.iter().map(ToString::to_string).collect(),
            },
            error => Self::Fault(error.into()),
        }
    }
}
