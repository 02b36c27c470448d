//! The book as people see it: the power profile, the schedule, and how full the cluster is.

mod error;
mod occupancy;
mod power_profile;
mod schedule;
mod taken;

use std::sync::Arc;

use super::shared::Shared;

pub use error::BookViewError;
pub use occupancy::{Frame, Occupancy};
pub use planner::reserved_power::ProfileStep;
pub use power_profile::PowerProfile;

/// Reads the book for people.
pub struct BookViewService {
    shared: Arc<Shared>,
}

impl BookViewService {
    /// On what all services share.
    pub const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}
