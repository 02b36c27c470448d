//! Why simulations are not stored.

use crate::error::{StorageError, through_storage_error};

/// Why a simulation was not stored.
#[derive(Debug, thiserror::Error)]
pub enum EnqueueError {
    /// As many wait as may.
    #[error("the queue is full")]
    QueueFull,
    /// As many of the owner's wait as may.
    #[error("the owner's part of the queue is full")]
    QueueFullForOwner,
    /// The owner used the key before.
    #[error("the idempotency key was used before")]
    IdempotencyKeyReused,
    /// Storage failed.
    #[error(transparent)]
    Storage(StorageError),
}

impl From<StorageError> for EnqueueError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

through_storage_error!(EnqueueError);
