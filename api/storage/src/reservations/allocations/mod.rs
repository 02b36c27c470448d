//! Who holds which nodes when.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::reservation::ReservationState;
use planner::time::Span;

use crate::identity::EpochId;

/// The nodes an offer holds during a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// For which offer; several offers of one reservation are alternatives.
    pub offer_id: OfferId,
    /// The user who booked.
    pub owner: String,
    /// How far the reservation is.
    pub state: ReservationState,
    /// The epoch whose ranks these are.
    pub epoch: EpochId,
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The nodes, as ranks in the epoch's draw order.
    pub ranks: NodeSet,
    /// The most that they draw in their slower state; `None` at full speed.
    pub slowed_peak: Option<Power>,
}
