//! Draw above plan, of the cluster and of reservations, for as long as it lasts.

mod repository;
mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::metering::Excess;

/// Draw above plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerExcess {
    /// The reservation whose nodes draw more than planned; `None` of all nodes.
    pub reservation_id: Option<ReservationId>,
    /// How it stands.
    pub excess: Excess,
}
