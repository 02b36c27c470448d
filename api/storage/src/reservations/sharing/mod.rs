//! With whom reservations are shared.

pub(crate) mod row;
pub mod sql;

use planner::reservation::{Receiver, SharedRight};

/// A change of whom a reservation is shared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharingChange {
    /// These may do this from now on, whatever they might before.
    Share(Vec<Receiver>, SharedRight),
    /// It is shared with these no more.
    Unshare(Vec<Receiver>),
}
