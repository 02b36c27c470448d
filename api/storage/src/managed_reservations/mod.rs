//! How reservations of ours stand in the resource manager: an outbox, written in the transaction of the
//! choice, from which they are made there.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::resource_manager::{ManagedState, WantedReservation, reservation_name};
use planner::time::Timestamp;

use crate::words::worded;

worded! {
    /// What is told of a managed reservation.
    ManagedReservationEvent {
        /// It is to be made in the resource manager, or to be changed there.
        Waiting = "managed_reservation.waiting",
        /// The resource manager has it as it ought to be.
        InForce = "managed_reservation.in_force",
        /// The resource manager refused it, or has another one.
        Failed = "managed_reservation.failed",
        /// Somebody removed it in the resource manager, and it is not made again.
        Lost = "managed_reservation.lost",
        /// It has ended, and the resource manager has it no more.
        Removed = "managed_reservation.removed",
        /// Somebody changed it in the resource manager.
        Drifted = "managed_reservation.drifted",
    }
}

/// How a reservation of ours stands in the resource manager, as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredManagedReservation {
    /// Which of ours.
    pub reservation_id: ReservationId,
    /// What it is called in the resource manager.
    pub name: String,
    /// How it stands there.
    pub state: ManagedState,
    /// Why it stands so, in words; `None` where there is nothing to say.
    pub because: Option<String>,
    /// What the resource manager was last told, and at which row version of the reservation.
    pub pushed: Option<(WantedReservation, i64)>,
    /// What somebody else did to it there, in words, once that was told and until it is undone.
    pub drift: Option<String>,
    /// When it reached its state.
    pub changed: Timestamp,
    /// Attempts that failed since the last that did not.
    pub attempts: u32,
    /// When it is tried again; `None` where nothing failed.
    pub next_attempt: Option<Timestamp>,
    /// Since when none of its jobs waits or runs, after there were some.
    pub idle_since: Option<Timestamp>,
    /// What its jobs have used, node-seconds.
    pub used_node_seconds: u64,
}

impl StoredManagedReservation {
    /// One that has yet to be made.
    pub fn new(reservation_id: ReservationId, now: Timestamp) -> Self {
        Self {
            reservation_id,
            name: reservation_name(reservation_id),
            state: ManagedState::Waiting,
            because: None,
            pushed: None,
            drift: None,
            changed: now,
            attempts: 0,
            next_attempt: None,
            idle_since: None,
            used_node_seconds: 0,
        }
    }
}
