//! Whether the book is sound: no node is booked twice, and what is booked has its nodes.

mod repository;
pub mod sql;
mod sweep;

use planner::identity::ReservationId;

/// What is wrong with the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookError {
    /// Two reservations have a node at the same time.
    DoubleBooking(ReservationId, ReservationId),
    /// It is booked and has no nodes.
    WithoutNodes(ReservationId),
}

/// What a check of the book saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookCheck {
    /// Reservations that were looked at.
    pub reservations: i64,
    /// What is wrong; of double bookings at most a hundred.
    pub errors: Vec<BookError>,
}
