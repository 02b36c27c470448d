//! Why a proposal is not decided on.

use storage::StorageError;

use crate::service::shared::Fault;

/// Why a proposal is not decided on.
#[derive(Debug, thiserror::Error)]
pub enum RecalibrationError {
    /// Nothing is proposed for some of the nodes.
    #[error(
        "nothing is proposed for {}; wattbook calibrations list --standing proposed lists what is",
        .0.join(", ")
    )]
    NotProposed(Vec<String>),
    /// With the new powers what is reserved and held would not fit under the cap.
    #[error(
        "with these powers what is reserved and held would draw more than the cap; take nodes that draw less \
         than was thought first, or wait until reservations have ended"
    )]
    OverCap,
    /// The new powers do not go with what else is said of a node.
    #[error("{0}")]
    Invalid(String),
    /// Others changed the book at each try.
    #[error("others changed the book while this was decided; try again")]
    BookChanged,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for RecalibrationError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::EpochChanged => Self::BookChanged,
            error => Self::Fault(error.into()),
        }
    }
}
