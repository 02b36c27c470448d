//! Why reservations are not proposed, chosen or ended.

use planner::reservation::{ChoiceRefused, EndRefused, ReservationState};

use crate::error::{StorageError, through_storage_error};

/// Why a reservation was not proposed.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// Something changed since the plan was made; plan again.
    #[error("the book changed since the plan was made (version {expected}, now {found})")]
    BookChanged {
        /// The version the plan rests on.
        expected: i64,
        /// The version now.
        found: i64,
    },
    /// A hold that the plan took for over was chosen just before; plan again.
    #[error("an offer was chosen whose hold the plan took for over")]
    HoldChosen,
    /// Another reservation holds some of the nodes.
    #[error("some of the nodes are held by another reservation at that time")]
    DoubleBooking,
    /// The owner used the key before.
    #[error("the idempotency key was used before")]
    IdempotencyKeyReused,
    /// Ranks beyond the newest epoch's nodes, or nodes before there were any.
    #[error("an offer has ranks beyond the {node_count} nodes of the cluster")]
    UnknownNodes {
        /// How many there are.
        node_count: u32,
    },
    /// Storage failed.
    #[error(transparent)]
    Storage(StorageError),
}

/// Why offers were not made to a reservation that waits for the supplier.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// No such reservation.
    #[error("there is no such reservation")]
    NotFound,
    /// It does not wait.
    #[error("the reservation is {} and does not wait for the supplier", state.word())]
    NotAwaitingSupplier {
        /// What it is instead.
        state: ReservationState,
    },
    /// The offers cannot be stored, for a reason that a new reservation can meet too.
    #[error(transparent)]
    Propose(#[from] ProposeError),
}

/// Why an offer was not chosen.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// No such reservation.
    #[error("there is no such reservation")]
    NotFound,
    /// The reservation does not allow the choice.
    #[error(transparent)]
    Refused(#[from] ChoiceRefused),
    /// Storage failed.
    #[error(transparent)]
    Storage(StorageError),
}

/// Why a reservation was not ended.
#[derive(Debug, thiserror::Error)]
pub enum EndError {
    /// No such reservation.
    #[error("there is no such reservation")]
    NotFound,
    /// The reservation does not allow its end.
    #[error(transparent)]
    Refused(#[from] EndRefused),
    /// Storage failed.
    #[error(transparent)]
    Storage(StorageError),
}

/// Why a reservation was not given back, transferred or relabelled.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// No such reservation.
    #[error("there is no such reservation")]
    NotFound,
    /// Its state does not allow it.
    #[error("the reservation is {}", state.word())]
    WrongState {
        /// The state.
        state: ReservationState,
    },
    /// The reservation changed since it was read.
    #[error("the reservation changed since it was read (row version now {found})")]
    VersionMismatch {
        /// The version it has.
        found: i64,
    },
    /// The book changed since it was looked at.
    #[error("the book changed meanwhile")]
    BookChanged,
    /// Another reservation may take its place.
    #[error("another reservation may take its place")]
    BeingReplaced,
    /// Storage failed.
    #[error(transparent)]
    Storage(StorageError),
}

impl From<StorageError> for ChangeError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<StorageError> for ProposeError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::DoubleBooking => Self::DoubleBooking,
            other => Self::Storage(other),
        }
    }
}

impl From<StorageError> for OfferError {
    fn from(error: StorageError) -> Self {
        Self::Propose(error.into())
    }
}

impl From<StorageError> for ChooseError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<StorageError> for EndError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

through_storage_error!(ProposeError, OfferError, ChooseError, EndError, ChangeError);
