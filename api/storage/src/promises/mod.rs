//! What the chosen offers of reservations promised, also of those that were pruned: what reports compare with the ledger.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::criterion::Values;
use planner::decision::Savings;
use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use planner::time::Timestamp;

/// What the chosen offer of a reservation promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferPromise {
    /// The reservation.
    pub reservation: ReservationId,
    /// The user whose it is.
    pub owner: String,
    /// Whether it had its nodes to its end.
    pub completed: bool,
    /// The seconds of nodes of the offer.
    pub node_s: i64,
    /// What it takes.
    pub values: Values,
    /// What it saves against starting as soon as possible.
    pub saves: Savings,
}

impl OfferPromise {
    /// What a reservation's offer promised, as the reservation stands at `now`; `None` where none was chosen.
    pub fn of(reservation: &Reservation, now: Timestamp) -> Option<Self> {
        let terms = &reservation.chosen_offer()?.terms;
        Some(Self {
            reservation: reservation.id,
            owner: reservation.owner.clone(),
            completed: reservation.state_at(now) == ReservationState::Completed,
            node_s: i64::from(terms.nodes.count()) * terms.span.length().get(),
            values: terms.values,
            saves: terms.saves,
        })
    }
}
