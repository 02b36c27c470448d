//! What any service may meet, whatever it is asked.

use std::sync::Arc;

use storage::StorageError;

/// What any service may meet, whatever it is asked.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The database cannot be used, for a reason that passes or that somebody can mend.
    #[error("{0}; try again in a moment")]
    Unavailable(#[source] Arc<StorageError>),
    /// A fault of the service itself.
    #[error(transparent)]
    Internal(anyhow::Error),
}

impl Fault {
    /// A fault of the service itself.
    pub fn internal(error: impl Into<anyhow::Error>) -> Self {
        Self::Internal(error.into())
    }

    /// This fault, for somebody else whom it concerns.
    #[must_use]
    pub fn again(&self) -> Self {
        match self {
            Self::Unavailable(error) => Self::Unavailable(Arc::clone(error)),
            Self::Internal(error) => Self::Internal(anyhow::anyhow!("{error:#}")),
        }
    }
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        if error.is_passing() {
            Self::Unavailable(Arc::new(error))
        } else {
            Self::Internal(error.into())
        }
    }
}
