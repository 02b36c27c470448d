//! What reservations held and hold, with what that takes, and what the ledger stated of it: what quotas count.

mod repository;
mod row;
pub mod sql;

use planner::identity::{OfferId, ReservationId};
use planner::time::{Span, Timestamp};

/// Nodes that a reservation held or holds during a span: for its chosen offer, whatever became of it, or for one of those
/// of which none is chosen yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSpan {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// The user whose it is.
    pub owner: String,
    /// The project that it is for; empty where it is for none.
    pub project: String,
    /// The request as it was understood, as JSON.
    pub request: String,
    /// Where no offer is chosen: until when they are held.
    pub held_until: Option<Timestamp>,
    /// The offer.
    pub offer_id: OfferId,
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The number of nodes.
    pub nodes: u32,
    /// The end of the offer: where nodes were freed before, its amounts are still for all of it.
    pub offer_end: Timestamp,
    /// Where these nodes were freed before the end of the offer: how many it had at last, which may be fewer. Otherwise 0.
    pub freed_nodes: u32,
    /// Energy, cost without the fee for extra power, and CO2 of the offer, in their exact units.
    pub amounts: [i128; 3],
}

/// A statement of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedOnce {
    /// The start of the hour that it is about.
    pub hour: Timestamp,
    /// Whether it is the hour's first.
    pub is_first: bool,
    /// The start of the hour in which it counts.
    pub counted: Timestamp,
}

/// What the ledger has of a reservation in an hour, corrections included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedHour {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// The start of the hour in which it counts.
    pub hour: Timestamp,
    /// Joules, measured and estimated.
    pub energy_j: i64,
    /// Millionths of the currency; `None` where not all energy has a price.
    pub cost_millionths: Option<i64>,
    /// Milligrams by the location; `None` where not all energy has an intensity.
    pub co2_mg: Option<i64>,
}
