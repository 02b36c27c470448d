//! The cluster: its nodes, their calibration, and outages.

mod calibrate;
mod error;
mod node_powers;
mod nodes;
mod outages;

use std::sync::Arc;

use super::shared::Shared;

pub use error::ClusterError;
pub use node_powers::NodePowers;
pub use outages::{ChangedOutage, NewOutage, OutagePatch, Outages};

/// Nodes, their calibration, and outages.
pub struct ClusterService {
    shared: Arc<Shared>,
}

impl ClusterService {
    /// On what all services share.
    pub const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}
