//! Why a view of the book is not to be had.

use storage::StorageError;

use crate::service::shared::Fault;

/// Why a view of the book is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum BookViewError {
    /// There are no such nodes.
    #[error("there are no such nodes: the cluster has {count}, counted from 0")]
    NoSuchNodes {
        /// How many there are.
        count: u32,
    },
    /// Others replaced the nodes at each try.
    #[error("others changed the book while this was planned; try again")]
    NodesReplaced,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for BookViewError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
