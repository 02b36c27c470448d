//! Why nodes, calibrations and outages are not taken, as problems.

use super::Problem;
use crate::service::cluster::ClusterError;

impl From<ClusterError> for Problem {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Invalid(errors) => Self::contradicting_all(errors),
            ClusterError::NoOutage(id) => Self::not_found(format!("outage {id}")),
            ClusterError::ManagedOutage(_) => {
                Self::conflict("managed_outage", "The resource manager tells of the outage", &error)
            }
            ClusterError::OutageOver { .. } => {
                Self::conflict("outage_over", "The outage has ended", &error)
            }
            ClusterError::OutageBegun { .. } => {
                Self::conflict("outage_begun", "The outage has begun", &error)
            }
            ClusterError::NodesInUse { .. } => {
                Self::conflict("nodes_in_use", "Nodes are in use", &error)
            }
            ClusterError::NodesReplaced => Self::book_changed(&error),
            ClusterError::Fault(fault) => fault.into(),
        }
    }
}
