//! Why something is not taken from the supplier, and what keeps the dialogue from going on.

use planner::identity::{GrantId, NegotiationId};
use storage::StorageError;

use crate::service::booking::{BookingError, QuoteError};
use crate::service::shared::Fault;

/// Why something is not shown of the dialogue, or not taken from the supplier.
#[derive(Debug, thiserror::Error)]
pub enum DialogueError {
    /// What was said contradicts what was said before.
    #[error("{0}")]
    Invalid(String),
    /// No such negotiation.
    #[error("there is no negotiation {0}")]
    NoNegotiation(NegotiationId),
    /// No such grant.
    #[error("there is no grant {0}")]
    NoGrant(GrantId),
    /// A negotiation that waits for no answer.
    #[error(
        "the negotiation is {0}, so it takes no answer; GET /api/v1/negotiations lists those open"
    )]
    NotAsked(&'static str),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for DialogueError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}

/// What keeps a turn of the dialogue from being taken to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum TurnError {
    /// Others changed the book at each try.
    #[error("others changed the book while this was planned; try again")]
    BookChanged,
    /// There is no plan for a request.
    #[error(transparent)]
    Quote(#[from] QuoteError),
    /// No new starts are held.
    #[error(transparent)]
    Booking(#[from] BookingError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for TurnError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
