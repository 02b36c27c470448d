//! Why a series is not stored.

use crate::error::StorageError;

/// Why a series is not stored.
#[derive(Debug, thiserror::Error)]
pub enum CreateSeriesError {
    /// The key was used before.
    #[error("the idempotency key was used before")]
    IdempotencyKeyReused,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<sqlx::Error> for CreateSeriesError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error.into())
    }
}
