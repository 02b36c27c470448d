//! Who holds which nodes when, and the one consistent state a plan rests on.

use planner::agenda::Piece;
use planner::node_set::NodeSet;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::Span;

use crate::identity::{EpochId, OfferId, ReservationId};
use crate::reservation::ReservationState;

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

/// Everything a plan rests on, read in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookSnapshot {
    /// What a proposal made from this must name.
    pub version: i64,
    /// The newest epoch; none before the first nodes.
    pub epoch: Option<EpochId>,
    /// Prices that touch the span.
    pub price: Vec<Piece<EnergyPrice>>,
    /// CO2 intensities that touch the span.
    pub co2: Vec<Piece<CarbonIntensity>>,
    /// Caps that touch the span; `None` where no cap was ever announced.
    pub power_cap: Option<Vec<Piece<Power>>>,
    /// The live allocations of the newest epoch that touch the span.
    pub allocations: Vec<Allocation>,
}
