//! Secret addresses at which calendar programs read what a user has booked.

mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

/// The secret address of a user's calendar feed, known by its digest only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarFeed {
    /// The user whose bookings it shows.
    pub owner: String,
    /// SHA-256 of the secret in lower-case hexadecimal.
    pub digest: String,
    /// When the secret was made.
    pub created: Timestamp,
}
