//! Reservations, their offers, and the nodes that these hold.

pub(crate) mod allocations;
pub(crate) mod changes;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod lifecycle;
mod managed;
mod modifications;
pub(crate) mod notices;
pub(crate) mod proposals;
pub(crate) mod reading;
mod replacements;
pub(crate) mod reservation;
pub(crate) mod row;
pub(crate) mod sharing;
pub mod sql;
