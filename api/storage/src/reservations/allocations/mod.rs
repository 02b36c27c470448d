//! Who holds which nodes when.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::node_set::NodeSet;
use planner::time::Span;

use crate::identity::{EpochId, OfferId, ReservationId};
use crate::reservations::reservation::ReservationState;

/// The nodes an offer holds during a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Whose.
    pub reservation_id: ReservationId,
    /// For which offer; several offers of one reservation are alternatives.
    pub offer_id: OfferId,
    /// Who booked.
    pub owner: String,
    /// How far the reservation is.
    pub state: ReservationState,
    /// The epoch whose ranks these are.
    pub epoch: EpochId,
    /// When.
    pub span: Span,
    /// Which nodes, as ranks in the epoch's draw order.
    pub ranks: NodeSet,
}
